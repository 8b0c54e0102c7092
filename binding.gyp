{
  "targets": [{
    "target_name": "addon",
    "product_dir": "<(module_root_dir)/prebuilds/<!(node -p \"process.platform + '-' + process.arch\")",
    "sources": ["<!@(node -p \"fs.readdirSync('addon').filter((f) => f.endsWith('.c')).map((f) => 'addon/' + f).join(' ')\")"],
    "include_dirs": ["include"],
    "cflags": ["-include", "<(module_root_dir)/addon/glibc.h", "-std=c11", "-O2", "-Wall", "-Wextra", "-fvisibility=hidden"],
    "ldflags": ["-Wl,-z,nodelete"],
    "libraries": ["-ldl", "-lpthread"]
  }]
}
