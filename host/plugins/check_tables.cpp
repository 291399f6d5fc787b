#include <cmath>
#include <cstddef>
#include <foxhunt/descriptor.hpp>
#include <foxhunt/error.hpp>
#include <set>

#include "../common/text.hpp"
#include "plugin.hpp"

namespace foxhunt::plugins {
namespace {

/// Far above anything sensible: a count beyond is a damaged table.
constexpr uint32_t kMost = 4096;

void check_size(uint32_t found, size_t expected, const char* what) {
  if (found < expected || found > 1u << 16)
    throw Error(text("its ", what, " states ", found, " bytes, expected at least ", expected));
}

void check_array(const void* items, uint32_t count, const char* what) {
  if (count > kMost)
    throw Error(text("its entry lists ", count, " ", what, "; at most ", kMost, " are possible"));
  if (count != 0 && !items)
    throw Error(text("its entry lists ", count, " ", what, ", but their table is null"));
}

bool is_c_identifier(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  if (name.empty() || !letter(name[0])) return false;
  for (const char c : name)
    if (!letter(c) && !(c >= '0' && c <= '9')) return false;
  return true;
}

void check_option(const fh_option& o, size_t index) {
  if (!o.name || !is_plugin_name(o.name))
    throw Error(text("option ", index, " is called '", o.name ? shown(o.name) : "null",
                     "', expected [a-z][a-z0-9_]*"));
  const std::string what = text("option '", o.name, "'");
  if (std::string_view(o.name) == "plugin")
    throw Error("an option is called 'plugin', which the program uses itself");
  if (!o.help) throw Error(text(what, " has no help"));
  if (o.type < FH_OPTION_INT || o.type > FH_OPTION_CHOICE)
    throw Error(text(what, " has the unknown type ", o.type));
  if (o.type == FH_OPTION_CHOICE) {
    const std::vector<std::string> choices = o.choices ? choices_of(o) : std::vector<std::string>();
    if (choices.empty()) throw Error(text(what, " is a choice without a list \"a|b|c\" of choices"));
    if (std::set<std::string>(choices.begin(), choices.end()).size() != choices.size())
      throw Error(text(what, " lists a choice twice: ", o.choices));
    if (o.default_choice >= choices.size())
      throw Error(
          text("the default of ", what, " is choice ", o.default_choice, ", but there are ", choices.size()));
    return;
  }
  if (!std::isfinite(o.minimum) || !std::isfinite(o.maximum) || !std::isfinite(o.default_value) ||
      o.minimum > o.maximum)
    throw Error(
        text(what, " has the range ", o.minimum, " to ", o.maximum, " and the default ", o.default_value));
  if (o.default_value < o.minimum || o.default_value > o.maximum)
    throw Error(text("the default of ", what, ", ", o.default_value, ", lies outside its range ", o.minimum,
                     " to ", o.maximum));
  if (o.type == FH_OPTION_BOOL && (o.minimum != 0 || o.maximum != 1))
    throw Error(
        text(what, " is a bool, but its range is ", o.minimum, " to ", o.maximum, ", expected 0 to 1"));
  if (o.type != FH_OPTION_REAL)
    for (const double v : {o.minimum, o.maximum, o.default_value})
      if (v != std::floor(v) || std::abs(v) > 0x1p53)
        throw Error(text(what, " is an integer, but ", v, " is none that a double holds exactly"));
}

void check_kernel(const fh_kernel* k, size_t index) {
  if (!k) throw Error(text("kernel ", index, " is null"));
  check_size(k->size, sizeof(fh_kernel), "kernel declaration");
  if (!k->entry || !is_c_identifier(k->entry))
    throw Error(text("kernel ", index, " is called '", k->entry ? shown(k->entry) : "null", "'"));
  const std::string what = text("kernel '", k->entry, "'");
  if (!k->file || !*k->file) throw Error(text(what, " names no file"));
  if (k->block < 1 || k->block > 1024)
    throw Error(text(what, " declares ", k->block, " threads per block, expected 1 to 1024"));
  check_array(k->params, k->param_count, "kernel parameters");
  for (uint32_t i = 0; i < k->param_count; ++i) {
    const fh_kernel_param& p = k->params[i];
    if (!p.name || !is_c_identifier(p.name)) throw Error(text("parameter ", i, " of ", what, " has no name"));
    if (p.dtype > FH_U64 || p.role > FH_INOUT)
      throw Error(
          text("parameter '", p.name, "' of ", what, " has type ", int{p.dtype}, " and role ", int{p.role}));
  }
  check_array(k->constants, k->constant_count, "kernel constants");
  for (uint32_t i = 0; i < k->constant_count; ++i)
    if (!k->constants[i] || !is_c_identifier(k->constants[i]))
      throw Error(text("constant ", i, " of ", what, " has no name"));
}

template <class... Functions>
void check_functions(const char* table, Functions... functions) {
  size_t index = 0;
  for (const bool there : {functions != nullptr...}) {
    ++index;
    if (!there) throw Error(text("function ", index, " of its ", table, " table is null"));
  }
}

void check_api(const fh_plugin& t, fh_kind kind) {
  if (!t.api.q_head) throw Error(text("its ", name_of(kind), " table is null"));
  if (kind == FH_Q_HEAD) {
    const fh_q_head& a = *t.api.q_head;
    check_size(a.size, offsetof(fh_q_head, reads), "q_head table");  // what follows came with later minor versions
    check_functions("q_head", a.create, a.destroy, a.parameters, a.controllers, a.outputs, a.constants,
                    a.target_shape, a.infer, a.learn);
  } else if (kind == FH_REWARD_SHAPER) {
    const fh_reward_shaper& a = *t.api.reward_shaper;
    check_size(a.size, sizeof a, "reward_shaper table");
    check_functions("reward_shaper", a.create, a.destroy, a.controllers, a.constants, a.shape);
  } else {
    const fh_position_sizer& a = *t.api.position_sizer;
    check_size(a.size, sizeof a, "position_sizer table");
    check_functions("position_sizer", a.create, a.destroy, a.constants, a.apply);
    constexpr uint32_t known =
        FH_NEEDS_VARIANCE_Q | FH_NEEDS_EXPECTED_Q | FH_NEEDS_LOG_PROBS | FH_NEEDS_SUPPORT;
    if (a.needs & ~known)
      throw Error(text("it needs unknown things of the risk source (bits ", a.needs, ")"));
  }
}

}  // namespace

std::vector<std::string> choices_of(const fh_option& option) {
  std::vector<std::string> result = split(option.choices, '|');
  for (const std::string& choice : result)
    if (choice.empty()) return {};
  return result;
}

void check_tables(const fh_plugin* table, const Description& description) {
  if (!table) throw Error("its entry function returned null");
  const fh_plugin& t = *table;
  check_size(t.size, sizeof t, "entry");
  if (t.kind != static_cast<uint32_t>(description.kind))
    throw Error(text("its entry says kind ", t.kind, ", its descriptor ", static_cast<int>(description.kind),
                     " (", name_of(description.kind), ")"));
  check_array(t.options, t.option_count, "options");
  check_array(t.kernels, t.kernel_count, "kernels");
  check_array(t.sources, t.source_count, "sources");
  check_api(t, description.kind);

  std::set<std::string_view> options, entries;
  for (uint32_t i = 0; i < t.option_count; ++i) {
    check_option(t.options[i], i);
    if (!options.insert(t.options[i].name).second)
      throw Error(text("option '", t.options[i].name, "' is declared twice"));
  }
  for (uint32_t i = 0; i < t.kernel_count; ++i) {
    check_kernel(t.kernels[i], i);
    if (!entries.insert(t.kernels[i]->entry).second)
      throw Error(text("kernel '", t.kernels[i]->entry, "' is declared twice"));
  }
  for (uint32_t i = 0; i < t.source_count; ++i)
    if (!t.sources[i].name || !t.sources[i].text) throw Error(text("source ", i, " has no name or no text"));
}

}  // namespace foxhunt::plugins
