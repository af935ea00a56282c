// Finished runs on disk, so that an interrupted comparison goes on where it stopped.
//
// A run is one small file, named by a hash of everything that decides it and written atomically. Doubles are stored as
// hexadecimal text: what is read back is what was computed.
#pragma once

#include <string>

#include "experiment/comparison.h"

namespace loa {

class RunCache {
 public:
  // With an empty folder nothing is found and nothing is kept. The folder is made when needed.
  explicit RunCache(std::string folder) : folder_(std::move(folder)) {}

  // `key` is everything that decides the run. A file that is damaged or of another key counts as not there.
  bool find(const std::string& key, ComparedRun& run) const;
  void keep(const std::string& key, const ComparedRun& run) const;

  bool find(const std::string& key, Optimum& optimum) const;
  void keep(const std::string& key, const Optimum& optimum) const;

 private:
  std::string path(const std::string& key) const;
  bool read(const std::string& key, std::string& body) const;
  void write(const std::string& key, const std::string& body) const;

  std::string folder_;
};

}  // namespace loa
