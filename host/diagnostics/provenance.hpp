#pragma once
#include <string>
#include <utility>
#include <vector>

#include "document.hpp"

namespace foxhunt::diagnostics {

/// What differs between two runs of the same computation, and what they were made of. One entry a start: a
/// resumed run has several.
struct Provenance {
  struct File {
    std::string name;
    std::string version;  ///< empty: none
    std::string path;     ///< empty: embedded
    std::string sha256;
  };
  std::vector<std::string> command;  ///< argv
  std::string device;                ///< "cpu: …, 2 threads"
  std::string resumed_from;          ///< checkpoint, or empty
  std::vector<File> plugins;
  std::vector<File> kernels;
  std::vector<File> config_files;
  std::vector<std::pair<std::string, std::string>> libraries;  ///< name, version
};

/// Fills in program, commit, compiler, host, working folder and time of start.
Document to_document(const Provenance& provenance);

/// UTC, "2025-01-31T12:00:00Z"
std::string utc_now();

/// Adds this start to `provenance.json`, which keeps those before it: {"starts": [ … ]}. A file that is no
/// longer JSON is kept beside it as provenance.json.damaged.
void write_provenance(const std::filesystem::path& path, const Provenance& provenance);

}  // namespace foxhunt::diagnostics
