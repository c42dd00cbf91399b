// Part of tests in builds with sanitizers: a library that was unloaded has no name in a report of leaks, so what it never
// frees could not be told from a leak of ours (tests/lsan.supp).
extern "C" int dlclose(void*) noexcept { return 0; }
