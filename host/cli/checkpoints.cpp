// inspect, diff
#include <foxhunt/checkpoints/diff.hpp>
#include <foxhunt/checkpoints/inspect.hpp>
#include <foxhunt/error.hpp>

#include "../common/log.hpp"
#include "../common/text.hpp"
#include "commands.hpp"
#include "inputs.hpp"
#include "print.hpp"

namespace foxhunt::cli {

namespace {

constexpr int kDiffer = 2;

int inspect(const Arguments& a) {
  checkpoints::InspectOptions options;
  options.prefix = a.value("below").value_or("");
  options.full_attributes = a.has("full");
  const checkpoints::Inspection seen = checkpoints::inspect(checkpoint_of(a.words().front()), options);
  print(checkpoints::to_text(seen, options));
  if (seen.unreadable == 0) return 0;
  throw Error(text(seen.file, ": ", seen.unreadable, " datasets are damaged; take an older checkpoint"));
}

int diff(const Arguments& a) {
  checkpoints::DiffOptions options;
  options.tolerance = a.positive("tolerance");
  options.ignore = a.values("ignore");
  const auto result = checkpoints::diff(checkpoint_of(a.words()[0]), checkpoint_of(a.words()[1]), options);
  for (const std::string& path : result.unused_ignores) log::warning(text("--ignore ", path, " matches nothing"));
  print(checkpoints::to_text(result));
  return result.same() ? 0 : kDiffer;
}

}  // namespace

Command inspect_command() {
  return {.name = "inspect",
          .summary = "prints the tree of a checkpoint: shapes, norms, ranges, NaN counts, attributes",
          .usage = "FILE|RUN [options]",
          .details = "Any HDF5 file will do; of a run folder it is the latest checkpoint.\n",
          .options = {{"below", "PATH", "only this object and what lies below it, such as /heads/c51"},
                      {"full", "", "attributes in full, such as the configuration"}},
          .words = "an HDF5 file or a run folder",
          .least_words = 1,
          .most_words = 1,
          .run = inspect};
}

Command diff_command() {
  return {.name = "diff",
          .summary = "says which tensors of two checkpoints differ, and by how much",
          .usage = "A B [options]",
          .details = "A and B are HDF5 files or run folders (their latest checkpoints). Values are equal when their bits are.\n"
                     "Exit codes: 0 the same, 1 error, 2 different.\n",
          .options = {{"tolerance", "X", "values are equal when |a - b| <= X max(1, |a|, |b|)"},
                      {"ignore", "PATH", "leaves out an object with all below it (/heads/twin), or an attribute (/meta@config)", true}},
          .words = "two files or run folders",
          .least_words = 2,
          .most_words = 2,
          .run = diff};
}

}  // namespace foxhunt::cli
