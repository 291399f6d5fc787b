#include "dataflow.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "windows.hpp"

namespace foxhunt::compute {
namespace {

std::string describe(const Tensors& tensors, const Operand& o) {
  const TensorSpec& spec = tensors[o.tensor];
  const int64_t n = elements_of(o.shape);
  if (o.offset == 0 && n == elements_of(spec.shape)) return spec.name;
  return spec.name + "[" + std::to_string(o.offset) + ":" + std::to_string(o.offset + n) + "]";
}

struct Step {
  std::string name;
  std::vector<const Operand*> reads, writes;
};

// Consecutive ops with the same label.
std::vector<Step> steps_of(const Program& program) {
  std::vector<Step> steps;
  for (const Op& op : program.ops) {
    if (steps.empty() || steps.back().name != op.step) steps.push_back({op.step, {}, {}});
    for (const Operand& o : op.reads) steps.back().reads.push_back(&o);
    for (const Operand& o : op.writes) steps.back().writes.push_back(&o);
  }
  return steps;
}

struct Access {
  const Op* op;
  const Operand* operand;
  Window window;
};

}  // namespace

std::string render_dataflow(const Program& program, const Tensors& tensors) {
  const std::vector<Step> steps = steps_of(program);
  std::unordered_map<TensorId, std::unordered_set<std::string>> users;  // by memory
  for (const Step& step : steps)
    for (const auto* list : {&step.reads, &step.writes})
      for (const Operand* o : *list) users[window_of(tensors, *o).root].insert(step.name);

  std::string text;
  for (const Step& step : steps) {
    const auto names = [&](const std::vector<const Operand*>& list) {
      std::vector<std::string> found;
      for (const Operand* o : list) {
        const TensorId root = window_of(tensors, *o).root;
        if (tensors[root].lifetime == Lifetime::scratch && users[root].size() == 1) continue;
        std::string name = describe(tensors, *o);
        if (std::find(found.begin(), found.end(), name) == found.end()) found.push_back(std::move(name));
      }
      std::string joined;
      for (const std::string& name : found) joined += (joined.empty() ? "" : ", ") + name;
      return joined.empty() ? std::string("nothing") : joined;
    };
    text += step.name + ": " + names(step.reads) + " → " + names(step.writes) + "\n";
  }
  return text;
}

void check_isolation(const std::vector<const Program*>& programs, const Tensors& tensors,
                     const std::string& owner) {
  std::unordered_map<TensorId, std::vector<Access>> written;  // by `owner`
  for (const Program* program : programs)
    for (const Op& op : program->ops)
      if (op.owner == owner)
        for (const Operand& o : op.writes) {
          const Window w = window_of(tensors, o);
          written[w.root].push_back({&op, &o, w});
        }
  const auto check = [&](const Op& op, const Operand& o, const char* verb) {
    const Window w = window_of(tensors, o);
    const auto found = written.find(w.root);
    if (found == written.end()) return;
    for (const Access& mine : found->second)
      if (overlap(mine.window, w))
        throw Error("'" + owner + "' is not isolated: its step '" + mine.op->step + "' writes '" +
                    describe(tensors, *mine.operand) + "', which step '" + op.step + "' of " +
                    (op.owner.empty() ? "the program" : "'" + op.owner + "'") + " " + verb +
                    ". A diagnostic may write only what nobody else uses.");
  };
  for (const Program* program : programs)
    for (const Op& op : program->ops) {
      if (op.owner == owner) continue;
      for (const Operand& o : op.reads) check(op, o, "reads");
      for (const Operand& o : op.writes) check(op, o, "writes, too");
    }
}

}  // namespace foxhunt::compute
