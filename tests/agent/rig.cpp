#include "rig.hpp"

#include <cstdlib>
#include <random>

namespace foxhunt::agent::test {

namespace {

// Runs share compiled kernels, but not with the user's own cache.
const bool cache_folder_is_set = ::setenv("FOXHUNT_CACHE_DIR", FOXHUNT_TEST_CACHE, 0) == 0;

}  // namespace

Rig::Rig(compute::Profile profile, int threads) : real64_(profile == compute::Profile::real64) {
  compute::Options options;
  options.device = "cpu";
  options.threads = threads;
  options.profile = profile;
  compute_ = compute::open(options);
}

compute::TensorId Rig::add(const std::string& name, fh_shape s, fh_dtype dtype) {
  compute::TensorSpec spec;
  spec.name = name;
  spec.shape = s;
  spec.dtype = dtype;
  spec.lifetime = compute::Lifetime::resident;
  return tensors.add(std::move(spec));
}

void Rig::record(const std::function<void(compute::Recording&)>& body, uint64_t seed) {
  compute::Recording r(program_, tensors, program_kernels(), {"", "step", "test", seed});
  body(r);
  compute_->allocate(tensors);
  executable_ = compute_->prepare(program_);
}

template <class T>
void Rig::put(compute::TensorId id, const std::vector<double>& values) {
  const std::vector<T> cast(values.begin(), values.end());
  compute_->upload(id, cast.data(), cast.size() * sizeof(T));
}

template <class T>
std::vector<double> Rig::take(compute::TensorId id) const {
  std::vector<T> values(static_cast<size_t>(compute::elements_of(tensors[id].shape)));
  compute_->download(id, values.data(), values.size() * sizeof(T));
  return {values.begin(), values.end()};
}

void Rig::set(compute::TensorId id, const std::vector<double>& values) {
  switch (tensors[id].dtype) {
    case FH_F32: return real64_ ? put<double>(id, values) : put<float>(id, values);
    case FH_F64: return put<double>(id, values);
    case FH_I32: return put<int32_t>(id, values);
    case FH_I64: return put<int64_t>(id, values);
    case FH_U64: return put<uint64_t>(id, values);
    case FH_U8: return put<uint8_t>(id, values);
    default: throw Error("the rig sets no tensor of this type");
  }
}

std::vector<double> Rig::get(compute::TensorId id) const {
  switch (tensors[id].dtype) {
    case FH_F32: return real64_ ? take<double>(id) : take<float>(id);
    case FH_F64: return take<double>(id);
    case FH_I32: return take<int32_t>(id);
    case FH_I64: return take<int64_t>(id);
    case FH_U64: return take<uint64_t>(id);
    case FH_U8: return take<uint8_t>(id);
    default: throw Error("the rig gets no tensor of this type");
  }
}

std::vector<double> normal(size_t n, uint64_t seed, double deviation) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> draw(0, deviation);
  std::vector<double> values(n);
  for (double& v : values) v = static_cast<float>(draw(random));
  return values;
}

}  // namespace foxhunt::agent::test
