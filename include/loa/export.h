// What the shared library shows: all that public headers declare between these two, and nothing else.
//
// Layer: base. The library is compiled with -fvisibility=hidden. A pair around the namespace, rather than a word at
// every declaration, so that none can be forgotten. Valid in C.
#pragma once

#if defined(__GNUC__)
#define LOA_EXPORT_BEGIN _Pragma("GCC visibility push(default)")
#define LOA_EXPORT_END _Pragma("GCC visibility pop")
#else
#define LOA_EXPORT_BEGIN
#define LOA_EXPORT_END
#endif
