#include "graph.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "../common/text.hpp"
#include "../compute/windows.hpp"
#include "../trainer/blueprint.hpp"

namespace foxhunt::cli {

namespace {

constexpr std::size_t kNamesOnEdge = 4;

using Names = std::set<std::string>;

struct Step {
  std::string name, owner;
  Names reads, writes;
};

class Flow {
 public:
  Flow(const compute::Program& program, const compute::Tensors& tensors) : tensors_(tensors) {
    find_shared(program);
    // Who wrote each tensor last; steps that read before anyone wrote get it from the iteration before.
    std::map<std::string, std::size_t> writer;
    std::vector<std::pair<std::size_t, std::string>> from_before;
    for (const compute::Op& op : program.ops) {
      const std::size_t to = step_of(op);
      for (const std::string& name : names(op.reads)) {
        steps_[to].reads.insert(name);
        const auto from = writer.find(name);
        if (from == writer.end())
          from_before.push_back({to, name});
        else if (from->second != to)
          now_[{from->second, to}].insert(name);
      }
      for (const std::string& name : names(op.writes)) {
        steps_[to].writes.insert(name);
        writer[name] = to;
      }
    }
    for (const auto& [to, name] : from_before)
      if (const auto from = writer.find(name); from != writer.end() && from->second != to) next_[{from->second, to}].insert(name);
  }

  std::string dot() const {
    std::string out =
        "// One iteration of foxhunt: what each step declares to read and write.\n"
        "digraph iteration {\n  rankdir=TB;\n  node [shape=box, style=filled, fontname=\"sans-serif\"];\n"
        "  edge [fontname=\"sans-serif\", fontsize=9];\n";
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const Step& s = steps_[i];
      out += text("  // ", s.name, ": ", listed(s.reads), " -> ", listed(s.writes), "\n");
      out += text("  s", i, " [label=", quoted(s.owner.empty() ? s.name : text(s.name, "\n(", s.owner, ")")), ", fillcolor=\"",
                  s.owner.empty() ? "white" : "lightblue", "\"];\n");
    }
    for (const auto& [edges, style] : {std::pair{&now_, ""}, {&next_, ", style=dashed"}})
      for (const auto& [ends, tensors] : *edges)
        out += text("  s", ends.first, " -> s", ends.second, " [label=", quoted(shortened(tensors)), style, "];\n");
    return out + "}\n";
  }

 private:
  using Edges = std::map<std::pair<std::size_t, std::size_t>, Names>;

  void find_shared(const compute::Program& program) {
    std::map<compute::TensorId, std::set<std::pair<std::string, std::string>>> users;
    for (const compute::Op& op : program.ops)
      for (const auto* list : {&op.reads, &op.writes})
        for (const compute::Operand& o : *list) users[compute::window_of(tensors_, o).root].insert({op.step, op.owner});
    for (const auto& [id, steps] : users)
      if (steps.size() > 1 || tensors_[id].lifetime != compute::Lifetime::scratch) shared_.insert(id);
  }

  // Of the memory: a group of parameters is one tensor, whichever of them an operation looks at.
  Names names(const std::vector<compute::Operand>& operands) const {
    Names result;
    for (const compute::Operand& o : operands)
      if (const compute::TensorId root = compute::window_of(tensors_, o).root; shared_.contains(root))
        result.insert(tensors_[root].name);
    return result;
  }

  std::size_t step_of(const compute::Op& op) {
    const auto [found, is_new] = index_.try_emplace({op.step, op.owner}, steps_.size());
    if (is_new) steps_.push_back({op.step, op.owner, {}, {}});
    return found->second;
  }

  static std::string listed(const Names& all) {
    return all.empty() ? "nothing" : join({all.begin(), all.end()}, ", ");
  }

  static std::string shortened(const Names& all) {
    std::string out;
    std::size_t i = 0;
    for (const std::string& name : all) {
      if (i == kNamesOnEdge) return text(out, "\nand ", all.size() - i, " more");
      out += text(i++ ? "\n" : "", name);
    }
    return out;
  }

  static std::string quoted(const std::string& raw) {
    std::string out = "\"";
    for (const char c : raw) {
      if (c == '\n') {
        out += "\\n";
        continue;
      }
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
    return out + '"';
  }

  const compute::Tensors& tensors_;
  std::set<compute::TensorId> shared_;
  std::map<std::pair<std::string, std::string>, std::size_t> index_;
  std::vector<Step> steps_;
  Edges now_, next_;
};

}  // namespace

std::string dataflow_graph(const config::Config& config, plugins::Registry& registry) {
  const trainer::Blueprint blueprint(config, registry);
  return Flow(*blueprint.iteration, blueprint.agent->tensors()).dot();
}

}  // namespace foxhunt::cli
