// Counts collective calls of MPI in this program and in all libraries that it has loaded.
#pragma once

// All-reduces and whatever else makes processes wait for each other, since the start of the program.
long num_collectives();
