// The version of the library, as text and as numbers that can be compared at compile time.
//
// Layer: base.
#pragma once

// Kept equal to the version in CMakeLists.txt by a test.
#define LOA_VERSION_MAJOR 0
#define LOA_VERSION_MINOR 1
#define LOA_VERSION_PATCH 0
#define LOA_VERSION "0.1.0"
