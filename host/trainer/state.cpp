#include "state.hpp"

#include <cstring>
#include <foxhunt/error.hpp>

#include "../common/text.hpp"

namespace foxhunt::trainer {

namespace {

checkpoints::DType dtype_of(fh_dtype d) {
  using checkpoints::DType;
  switch (d) {
    case FH_F32: return DType::f32;
    case FH_I32: return DType::i32;
    case FH_U32: return DType::u32;
    case FH_U8: return DType::u8;
    case FH_F64: return DType::f64;
    case FH_I64: return DType::i64;
    case FH_U64: return DType::u64;
  }
  throw Error("internal: unknown dtype");
}

checkpoints::TensorSpec spec_of(const compute::TensorSpec& t) {
  checkpoints::TensorSpec s;
  s.path = t.name;
  s.dtype = dtype_of(t.dtype);
  for (uint32_t d = 0; d < t.shape.rank; ++d) s.shape.push_back(static_cast<uint64_t>(t.shape.dim[d]));
  bool named = t.shape.rank > 0;
  for (uint32_t d = 0; d < t.shape.rank; ++d) named = named && !t.axes[d].empty();
  if (named) s.axes.assign(t.axes.begin(), t.axes.begin() + t.shape.rank);
  s.unit = t.unit;
  return s;
}

bool below(const std::string& path, const std::vector<std::string>& roots) {
  for (const std::string& root : roots)
    if (path.compare(0, root.size(), root) == 0 && (path.size() == root.size() || path[root.size()] == '/')) return true;
  return false;
}

// Host copies of tensors, as places to load into.
struct Landing {
  std::vector<compute::TensorId> ids;
  std::vector<std::vector<std::byte>> buffers;
  std::vector<checkpoints::TensorView> views;

  void add(const compute::Tensors& tensors, compute::TensorId id) {
    ids.push_back(id);
    buffers.emplace_back(tensors.bytes(id));
    views.push_back({spec_of(tensors[id]), buffers.back()});
  }
  void upload(compute::Compute& compute, size_t i) const { compute.upload(ids[i], buffers[i].data(), buffers[i].size()); }
};

}  // namespace

Snapshot take_snapshot(compute::Compute& compute, const compute::Tensors& tensors, const HostState& host,
                       checkpoints::Attributes meta) {
  Snapshot s;
  s.content.meta = std::move(meta);
  const auto ids = tensors.state();
  s.buffers.reserve(ids.size() + host.size());
  for (const compute::TensorId id : ids) {
    s.buffers.emplace_back(tensors.bytes(id));
    compute.download(id, s.buffers.back().data(), s.buffers.back().size());
    s.content.tensors.push_back({spec_of(tensors[id]), s.buffers.back()});
  }
  for (const auto& [path, value] : host) {
    s.buffers.emplace_back(sizeof value);
    std::memcpy(s.buffers.back().data(), &value, sizeof value);
    checkpoints::TensorSpec spec;
    spec.path = path;
    spec.dtype = checkpoints::DType::f64;
    s.content.tensors.push_back({std::move(spec), s.buffers.back()});
  }
  return s;
}

void restore(const checkpoints::Reader& file, compute::Compute& compute, const compute::Tensors& tensors, HostState& host) {
  Landing landing;
  for (const compute::TensorId id : tensors.state()) landing.add(tensors, id);
  std::vector<checkpoints::TensorView> wanted = landing.views;
  HostState loaded = host;
  for (auto& [path, value] : loaded) wanted.push_back(checkpoints::scalar_view(path, value));
  const checkpoints::Match match = file.match(wanted);
  if (!match.unused.empty())
    throw Error(text(file.file(), " holds '", match.unused.front(), "'",
                     match.unused.size() > 1 ? text(" and ", match.unused.size() - 1, " more tensors") : "",
                     ", which this configuration has no place for. Resume with the configuration of the run, or start "
                     "a new run with --init-from, which takes over what fits"));
  file.load(wanted);
  for (size_t i = 0; i < landing.ids.size(); ++i) landing.upload(compute, i);
  host = std::move(loaded);
}

checkpoints::Match restore_matching(const checkpoints::Reader& file, compute::Compute& compute,
                                    const compute::Tensors& tensors, const std::vector<std::string>& roots) {
  Landing landing;
  for (const compute::TensorId id : tensors.state())
    if (below(tensors[id].name, roots)) landing.add(tensors, id);
  checkpoints::Match match = file.load_matching(landing.views);
  for (const size_t i : match.matched) landing.upload(compute, i);
  std::erase_if(match.unused, [&](const std::string& path) { return !below(path, roots); });
  return match;
}

void restore_matching(const checkpoints::Reader& file, HostState& host, checkpoints::Match& match) {
  HostState loaded = host;
  std::vector<checkpoints::TensorView> views;
  std::vector<std::string> paths;
  for (auto& [path, value] : loaded) {
    views.push_back(checkpoints::scalar_view(path, value));
    paths.push_back(path);
  }
  const checkpoints::Match found = file.load_matching(views);
  for (const size_t i : found.matched) {
    host.at(paths[i]) = loaded.at(paths[i]);
    std::erase(match.unused, paths[i]);
  }
}

}  // namespace foxhunt::trainer
