#include "kernels.hpp"

#include <chrono>
#include <mutex>

#include "compute/parallel.hpp"

namespace foxhunt::compute::cpu {
namespace {

// Kernels that are loaded already, by key: a second backend of this process uses the same ones.
struct Registry {
  std::mutex guard;
  std::map<CacheKey, std::shared_ptr<LoadedLibrary>> libraries;
};

Registry& registry() {
  static auto* r = new Registry;
  return *r;
}

std::shared_ptr<LoadedLibrary> registered(const CacheKey& key) {
  const std::lock_guard lock(registry().guard);
  const auto found = registry().libraries.find(key);
  return found == registry().libraries.end() ? nullptr : found->second;
}

}  // namespace

struct Kernels::Job {
  UnitSource source;
  CacheKey key{};
  std::shared_ptr<LoadedLibrary> library;  // if this process has it already
  Bytes object;
  bool cached = false;
};

std::vector<CacheKey> Kernels::compile(const std::vector<KernelUnit>& units, std::vector<Job>& jobs,
                                       bool to_load) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<CacheKey> keys;
  for (const KernelUnit& unit : units) {
    Job job;
    job.source = unit_source(unit, KernelMode::cpu, real64_);
    job.key = compiler_.key(job.source);
    keys.push_back(job.key);
    bool known = loaded_.contains(job.key);
    for (const Job& other : jobs) known = known || other.key == job.key;
    if (!known) jobs.push_back(std::move(job));
  }
  in_parallel(jobs.size(), [&](size_t i) {
    Job& job = jobs[i];
    if (to_load) job.library = registered(job.key);
    job.cached = job.library != nullptr;
    if (!job.library)
      job.object = load_or_compile(
          cache_, job.key, [&] { return compiler_.compile(job.source); }, job.cached);
  });
  for (const Job& job : jobs) ++(job.cached ? report_.cached : report_.compiled);
  report_.milliseconds +=
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return keys;
}

std::vector<std::shared_ptr<LoadedLibrary>> Kernels::add(const std::vector<KernelUnit>& units) {
  std::vector<Job> jobs;
  const std::vector<CacheKey> keys = compile(units, jobs, true);
  for (Job& job : jobs) {
    if (!job.library) {
      job.library = std::make_shared<LoadedLibrary>(
          LoadedLibrary::from_bytes(job.object, job.source.owner + ": kernels of " + job.source.name));
      const std::lock_guard lock(registry().guard);
      registry().libraries.emplace(job.key, job.library);
    }
    loaded_.emplace(job.key, job.library);
  }
  std::vector<std::shared_ptr<LoadedLibrary>> libraries;
  for (const CacheKey& key : keys) libraries.push_back(loaded_.at(key));
  return libraries;
}

void Kernels::compile_only(const std::vector<KernelUnit>& units) {
  std::vector<Job> jobs;
  compile(units, jobs, false);
}

}  // namespace foxhunt::compute::cpu
