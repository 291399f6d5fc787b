#include <charconv>
#include <filesystem>

#include "compute.hpp"
#include "cpu/backend.hpp"
#include "cuda_module.hpp"
#include "warning.hpp"

namespace foxhunt::compute {
namespace {

bool is_cuda_name(const std::string& device) {
  if (device == "cuda") return true;
  if (!device.starts_with("cuda:")) return false;
  unsigned index = 0;
  const char *begin = device.data() + 5, *end = device.data() + device.size();
  const auto [stop, error] = std::from_chars(begin, end, index);
  return error == std::errc() && stop == end;
}

bool has_nvidia_driver() {
  std::error_code none;
  return std::filesystem::exists("/dev/nvidia0", none) ||
         std::filesystem::exists("/proc/driver/nvidia", none);
}

}  // namespace

std::unique_ptr<Compute> open(const Options& options) {
  const bool automatic = options.device == "auto", real64 = options.profile == Profile::real64;
  if (options.device == "cpu" || (automatic && (real64 || !has_nvidia_driver())))
    return cpu::open_cpu(options);
  if (automatic) {
    Options cuda = options;
    cuda.device = "cuda";
    try {
      return CudaModule::load().open(cuda);
    } catch (const Error& e) {
      warn("device auto takes the cpu, because CUDA cannot be used: " + std::string(e.what()));
      return cpu::open_cpu(options);
    }
  }
  if (!is_cuda_name(options.device))
    throw Error("device '" + options.device +
                "' is unknown: auto, cpu, cuda or cuda:N (N counts from 0) is expected.");
  if (real64) throw Error("the real64 profile runs on the cpu only, not on '" + options.device + "'.");
  return CudaModule::load().open(options);
}

}  // namespace foxhunt::compute
