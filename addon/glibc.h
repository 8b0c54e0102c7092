// Included before every C file of a release, so that it loads on systems older than the one it was built on: glibc 2.32 and
// 2.34 moved these functions into libc under new versions, and kept the old ones.
#if defined(__linux__) && !defined(__ASSEMBLER__)
#if defined(__x86_64__)
#define SLUICE_GLIBC "GLIBC_2.2.5"
#elif defined(__aarch64__)
#define SLUICE_GLIBC "GLIBC_2.17"
#endif
#endif

#ifdef SLUICE_GLIBC
#define SLUICE_OLD(name, version) __asm__(".symver " #name "," #name "@" version)
SLUICE_OLD(dladdr, SLUICE_GLIBC);
SLUICE_OLD(dlerror, SLUICE_GLIBC);
SLUICE_OLD(dlopen, SLUICE_GLIBC);
SLUICE_OLD(dlsym, SLUICE_GLIBC);
SLUICE_OLD(exp, SLUICE_GLIBC); // these three, which libwebp uses, in glibc 2.29
SLUICE_OLD(log, SLUICE_GLIBC);
SLUICE_OLD(pow, SLUICE_GLIBC);
SLUICE_OLD(pthread_attr_getstack, SLUICE_GLIBC);
SLUICE_OLD(pthread_attr_getstacksize, SLUICE_GLIBC);
SLUICE_OLD(pthread_attr_setstacksize, SLUICE_GLIBC);
SLUICE_OLD(pthread_create, SLUICE_GLIBC);
SLUICE_OLD(pthread_getattr_np, SLUICE_GLIBC);
SLUICE_OLD(pthread_join, SLUICE_GLIBC);
SLUICE_OLD(pthread_key_create, SLUICE_GLIBC);
SLUICE_OLD(pthread_setspecific, SLUICE_GLIBC);
SLUICE_OLD(pthread_sigmask, SLUICE_GLIBC);
#endif
