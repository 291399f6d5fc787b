#include <foxhunt/checkpoints/diff.hpp>

#include "text.hpp"

namespace foxhunt::checkpoints {

namespace {

std::string clipped(const std::string& text) {
  constexpr std::size_t width = 80;
  if (text.size() <= width) return text;
  std::size_t end = width;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end) + "…";
}

// Two long texts that differ late would look the same when clipped: show them from a little before that
// place.
std::string pair_text(const std::string& a, const std::string& b) {
  std::size_t same = 0;
  while (same < a.size() && same < b.size() && a[same] == b[same]) ++same;
  std::size_t from = same > 40 ? same - 30 : 0;
  while (from > 0 && (static_cast<unsigned char>(a[from]) & 0xc0) == 0x80) --from;
  const std::string lead = from > 0 ? "…" : "";
  return lead + clipped(a.substr(from)) + " | " + lead + clipped(b.substr(from));
}

std::string values_text(const Difference& difference) {
  std::string out = number(difference.differing) + " of " + number(difference.total) + " differ";
  if (difference.first_index.empty() && difference.a.starts_with("not comparable")) return difference.a;
  if (difference.max_abs > 0) {
    out += ", max abs " + rounded(difference.max_abs) + ", max rel " + rounded(difference.max_rel);
  }
  if (difference.not_finite > 0) out += ", " + number(difference.not_finite) + " with NaN or infinity";
  if (!difference.first_index.empty()) out += ", first at " + shape_text(difference.first_index);
  return out + ": " + pair_text(difference.a, difference.b);
}

std::string line(const Difference& difference) {
  switch (difference.kind) {
    case Difference::Kind::only_in_a:
      return "only in A: " + clipped(difference.a);
    case Difference::Kind::only_in_b:
      return "only in B: " + clipped(difference.b);
    case Difference::Kind::object_kind:
      return "kind " + pair_text(difference.a, difference.b);
    case Difference::Kind::dtype:
      return "type " + difference.a + " | " + difference.b;
    case Difference::Kind::shape:
      return "shape " + difference.a + " | " + difference.b;
    case Difference::Kind::values:
      return values_text(difference);
    case Difference::Kind::attribute:
      return pair_text(difference.a, difference.b);
  }
  return "differs";
}

bool one_sided(const Difference& difference) {
  return difference.kind == Difference::Kind::only_in_a || difference.kind == Difference::Kind::only_in_b;
}

}  // namespace

std::string to_text(const DiffResult& result) {
  std::string out = "A: " + result.file_a.string() + "\nB: " + result.file_b.string() + "\n";
  const auto& all = result.differences;
  for (std::size_t i = 0; i < all.size();) {
    out += printable(all[i].path) + "  " + line(all[i]);
    std::size_t next = i + 1;
    // A whole group that only one file has is one line.
    if (one_sided(all[i])) {
      while (next < all.size() && all[next].kind == all[i].kind &&
             is_at_or_below(all[next].path, all[i].path))
        ++next;
      if (next > i + 1) out += " with " + number(std::uint64_t{next - i - 1}) + " objects below it";
    }
    out += "\n";
    i = next;
  }
  for (const auto& entry : result.unused_ignores)
    out += "note: nothing is called " + in_quotes(entry) + " (--ignore)\n";
  out += (result.same() ? "same: " : number(std::uint64_t{all.size()}) + " differences: ") +
         number(result.tensors) + " datasets and " + number(result.attributes) + " attributes compared";
  if (result.ignored > 0) out += ", " + number(result.ignored) + " ignored";
  return out + "\n";
}

}  // namespace foxhunt::checkpoints
