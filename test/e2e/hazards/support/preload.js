'use strict'

// Preloaded into processes under test, and by inheritance into their workers and children. With SLUICE_TEST_BUILD, the
// name of a folder, the addon is loaded from there.

const path = require('node:path')

const build = process.env.SLUICE_TEST_BUILD
if (build !== undefined && build !== '') {
  const dlopen = process.dlopen
  process.dlopen = (module, file, ...flags) =>
    dlopen.call(process, module, path.basename(file) === 'addon.node' && /prebuilds/.test(file) ? path.join(build, 'addon.node') : file, ...flags)
}
