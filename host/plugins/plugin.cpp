#include "plugin.hpp"

#include "../common/text.hpp"
#include "library.hpp"

namespace foxhunt::plugins {

Plugin::Plugin(Candidate candidate) : candidate_(std::move(candidate)) {
  const fh_entry entry = open_library(candidate_.path);
  table_ = entry();
  check_tables(table_, candidate_.description);
  kernels_.owner = text("plugin ", name());
  kernels_.kernels.assign(table_->kernels, table_->kernels + table_->kernel_count);
  kernels_.sources.assign(table_->sources, table_->sources + table_->source_count);
}

std::string Plugin::label() const { return text("plugin ", name(), " ", candidate_.description.version); }

}  // namespace foxhunt::plugins
