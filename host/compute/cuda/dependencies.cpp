#include "dependencies.hpp"

#include <algorithm>
#include <functional>

#include "compute/windows.hpp"

namespace foxhunt::compute::cuda {
namespace {

bool has(const std::vector<uint64_t>& bits, uint32_t i) { return bits[i / 64] >> (i % 64) & 1; }

}  // namespace

std::vector<Access> accesses_of(const Op& op, const Tensors& tensors) {
  std::vector<Access> accesses;
  const auto add = [&](const std::vector<Operand>& operands, bool write) {
    for (const Operand& o : operands) {
      const Window w = window_of(tensors, o);
      const uint64_t size = bytes_of(tensors[w.root].dtype);
      if (w.begin < w.end)
        accesses.push_back(
            {w.root, static_cast<uint64_t>(w.begin) * size, static_cast<uint64_t>(w.end) * size, write});
    }
  };
  add(op.reads, false);
  add(op.writes, true);
  return accesses;
}

uint32_t Dependencies::add(const std::vector<Access>& accesses) {
  const auto op = static_cast<uint32_t>(before_.size());
  before_.emplace_back(op / 64 + 1, 0);
  direct_.clear();
  for (const Access& a : accesses)
    for (const Past& past : history_[a.tensor])
      if (past.begin < a.end && a.begin < past.end && (past.write || a.write)) wait_for(past.op);
  for (const Access& a : accesses) {
    std::vector<Past>& history = history_[a.tensor];
    // Whoever conflicts with something below this write conflicts with the write, which waits for it.
    if (a.write) std::erase_if(history, [&](const Past& p) { return a.begin <= p.begin && p.end <= a.end; });
    history.push_back({a.begin, a.end, op, a.write});
  }
  return op;
}

void Dependencies::wait_for(uint32_t earlier) {
  Bits& bits = before_.back();
  if (earlier + 1 >= before_.size()) return;
  direct_.push_back(earlier);
  const Bits& theirs = before_[earlier];
  for (size_t i = 0; i < theirs.size(); ++i) bits[i] |= theirs[i];
  bits[earlier / 64] |= uint64_t{1} << (earlier % 64);
}

bool Dependencies::is_before(uint32_t earlier, uint32_t op) const {
  return earlier < op && has(before_[op], earlier);
}

std::vector<uint32_t> Dependencies::predecessors() const {
  std::vector<uint32_t> sorted = direct_, needed;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  // One that is before another predecessor is waited for by waiting for that.
  for (uint32_t candidate : sorted)
    if (std::none_of(needed.begin(), needed.end(), [&](uint32_t n) { return is_before(candidate, n); }))
      needed.push_back(candidate);
  return needed;
}

}  // namespace foxhunt::compute::cuda
