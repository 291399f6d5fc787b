#include "device.hpp"

#include <charconv>
#include <cstdlib>
#include <foxhunt/error.hpp>

#include "gemm.hpp"
#include "nvrtc.hpp"

namespace foxhunt::compute::cuda {
namespace {

std::string version_text(int v) { return std::to_string(v / 1000) + "." + std::to_string(v % 1000 / 10); }

// How many GPUs there are; says what to do if there is none.
int count_devices() {
  int driver = 0, runtime = 0, count = 0;
  FOXHUNT_CUDA(cudaRuntimeGetVersion(&runtime));
  FOXHUNT_CUDA(cudaDriverGetVersion(&driver));
  const std::string otherwise = ", or run with `--trainer.device cpu`.";
  if (driver == 0)
    throw Error(
        "no NVIDIA driver is installed on this machine (libcuda.so.1 was not found). Install one for CUDA " +
        version_text(runtime) + " or later" + otherwise);
  const cudaError_t code = cudaGetDeviceCount(&count);
  if (code == cudaErrorInsufficientDriver) {
    (void)cudaGetLastError();
    throw Error("the NVIDIA driver supports CUDA " + version_text(driver) +
                ", but this program was built with CUDA " + version_text(runtime) +
                ". Update the driver, build with an older CUDA Toolkit" + otherwise);
  }
  if (code == cudaErrorNoDevice || (code == cudaSuccess && count == 0)) {
    (void)cudaGetLastError();
    throw Error("there is an NVIDIA driver (CUDA " + version_text(driver) +
                "), but no GPU that this process may use. Check `nvidia-smi` and CUDA_VISIBLE_DEVICES" +
                otherwise);
  }
  FOXHUNT_CUDA(code, "cudaGetDeviceCount");
  return count;
}

Device open_ordinal(int ordinal) {
  Device device;
  cudaDeviceProp properties{};
  FOXHUNT_CUDA(cudaGetDeviceProperties(&properties, ordinal), "GPU " + std::to_string(ordinal));
  device.ordinal = ordinal;
  device.architecture =
      architecture_for(properties.major, properties.minor, properties.name, known_capabilities());
  device.multiprocessors = properties.multiProcessorCount;
  device.shared_limit = properties.sharedMemPerBlockOptin;
  device.info = {"cuda", properties.name, device.architecture.target, compiler_version(), blas_version()};
  device.use();
  cudaStream_t stream = nullptr;
  FOXHUNT_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), device.info.name);
  device.stream.reset(stream);
  return device;
}

}  // namespace

Device open_device(const std::string& name) {
  int wanted = -1;
  if (name.starts_with("cuda:")) {
    const char* last = name.data() + name.size();
    const auto [end, error] = std::from_chars(name.data() + 5, last, wanted);
    if (error != std::errc() || end != last || wanted < 0)
      throw Error("'" + name +
                  "' names no device. Write cuda:N with the number that `nvidia-smi` shows, counted from 0.");
  } else if (name != "cuda" && name != "auto") {
    throw Error("'" + name + "' is no CUDA device. Use cuda or cuda:N.");
  }
  // Graphs of trainers side by side, each with branches of its own, wait for one another in the 8 queues to the device
  // that are the driver's default. It reads this at the process's first call.
  (void)setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0);
  const int count = count_devices();
  if (wanted >= count)
    throw Error("there is no device " + name + ": this process sees " + std::to_string(count) +
                (count == 1 ? " GPU, cuda:0." : " GPUs, from cuda:0 on."));
  if (wanted >= 0) return open_ordinal(wanted);
  std::string reasons;
  for (int i = 0; i < count; ++i) {
    try {
      return open_ordinal(i);
    } catch (const Error& e) {
      (reasons += reasons.empty() ? "" : "\n  ") += "cuda:" + std::to_string(i) + ": " + e.what();
    }
  }
  throw Error(reasons);
}

}  // namespace foxhunt::compute::cuda
