#include <fcntl.h>
#include <hdf5.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <foxhunt/error.hpp>
#include <thread>

#include "../common/build_info.hpp"
#include "../common/text.hpp"
#include "../compute/cache.hpp"
#include "../compute/cuda_module.hpp"
#include "../compute/warning.hpp"
#include "../kernels/manifest.hpp"
#include "../kernels/optimizer.hpp"
#include "commands.hpp"
#include "inputs.hpp"
#include "print.hpp"

namespace foxhunt::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::uintmax_t kLittleSpace = std::uintmax_t{1} << 30, kNoSpace = std::uintmax_t{64} << 20;  // bytes

enum class State { ok, warning, problem };

// One finding a line, as it is found: a check that hangs is the one after the last line.
class Findings {
 public:
  void add(State state, const std::string& what, std::string finding) {
    if (state == State::problem) ++problems_;
    if (state == State::warning) ++warnings_;
    std::string line = state == State::ok ? "ok       " : state == State::warning ? "warning  " : "problem  ";
    line += what;
    line.append(what.size() < 10 ? 10 - what.size() : 1, ' ');
    print(line + finding + "\n");
  }
  int finish() const {
    print(problems_ ? text("foxhunt train cannot run here: ", problems_, problems_ == 1 ? " problem\n" : " problems\n")
                    : text("foxhunt train can run here", warnings_ ? text("; ", warnings_, warnings_ == 1 ? " warning" : " warnings") : std::string(), "\n"));
    return problems_ ? 1 : 0;
  }

 private:
  int problems_ = 0, warnings_ = 0;
};

// A kernel and a matrix product, compiled, run and compared with what they must give.
void run_small_program(compute::Compute& device) {
  compute::Tensors tensors;
  const auto add = [&](const char* name, fh_dtype dtype, fh_shape s) {
    compute::TensorSpec spec;
    spec.name = name;
    spec.dtype = dtype;
    spec.shape = s;
    return tensors.add(std::move(spec));
  };
  const compute::TensorId step = add("step", FH_U64, shape(1)), a = add("a", FH_F32, shape(2, 2)), c = add("c", FH_F32, shape(2, 2));
  compute::Program program;
  program.name = "doctor";
  {
    compute::Recording recording(program, tensors, program_kernels(), {"", "doctor", "doctor", 0});
    Recorder r = recording.recorder();
    r.launch(kernels::advance_step, Grid::elements(1), {inout(recording.write(step))});
    r.gemm(recording.write(c), recording.read(a), recording.read(a));
  }
  device.allocate(tensors);
  const float matrix[] = {1, 2, 3, 4}, square[] = {7, 10, 15, 22};
  device.upload(a, matrix, sizeof matrix);
  const auto executable = device.prepare(program);
  executable->submit();
  device.wait_all();
  std::uint64_t steps = 0;
  float product[4] = {};
  device.download(step, &steps, sizeof steps);
  device.download(c, product, sizeof product);
  if (steps != 1) throw Error(text("a kernel that counts to 1 gave ", steps));
  for (int i = 0; i < 4; ++i)
    if (product[i] != square[i]) throw Error(text("a matrix product gave ", product[i], " instead of ", square[i]));
}

// Opens and tries a device; its description, or the reason why not in `why`.
std::optional<compute::DeviceInfo> tried(const std::string& name, std::string& why) {
  try {
    compute::Options options;
    options.device = name;
    const auto device = compute::open(options);
    run_small_program(*device);
    return device->device();
  } catch (const std::exception& e) {
    why = e.what();
    return std::nullopt;
  }
}

void check_kernels(Findings& f) {
  const fs::path folder = compute::kernels_folder();
  std::error_code error;
  if (fs::is_regular_file(folder / kernels::advance_step.file, error))
    f.add(State::ok, "kernels", folder.string());
  else
    f.add(State::problem, "kernels", text("no kernel sources in ", folder, "; install the program as a whole, or set FOXHUNT_KERNELS_DIR"));
}

int check_cuda(Findings& f) {
  std::error_code none;
  const bool driver = fs::exists("/dev/nvidia0", none) || fs::exists("/proc/driver/nvidia", none);
  // Without a GPU there is nothing to repair.
  const State absent = driver ? State::warning : State::ok;
  try {
    const std::string version = compute::CudaModule::load().compiler_version();
    f.add(State::ok, "nvrtc", text(version.substr(0, version.find(" -")), ": `foxhunt compile --arch sm_90` works without a GPU, too"));
  } catch (const std::exception& e) {
    f.add(absent, "cuda", text("not used: ", e.what()));
    return 0;
  }
  int devices = 0;
  for (;; ++devices) {
    std::string why;
    const auto info = tried(text("cuda:", devices), why);
    if (info) {
      f.add(State::ok, text("cuda:", devices), text(info->name, ", ", info->target, ", ", info->compiler, ", ", info->blas));
      continue;
    }
    if (devices == 0) f.add(absent, "cuda", text("no GPU: ", why));
    return devices;
  }
}

void check_cpu(Findings& f, bool has_gpu) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  const int usable = sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 0;
  f.add(State::ok, "threads", text(std::thread::hardware_concurrency(), " with trainer.threads = 0; this process may use ", usable, " cores"));
  std::string why;
  if (const auto info = tried("cpu", why)) {
    f.add(State::ok, "cpu", text(info->name, ", ", info->target));
    f.add(State::ok, "compiler", info->compiler);
    f.add(State::ok, "blas", text(info->blas, "; the bits of results depend on this core"));
  } else {
    f.add(has_gpu ? State::warning : State::problem, "cpu", why);
  }
}

void check_plugins(Findings& f, const Arguments& a) {
  try {
    const std::vector<std::string> folders = a.values("plugin-dir");
    const auto path = plugins::search_path({folders.begin(), folders.end()});
    plugins::Registry registry(path);
    for (const plugins::Folder& folder : path) {
      std::size_t found = 0;
      std::error_code error;
      for (const plugins::Candidate& c : registry.candidates()) found += fs::equivalent(c.path.parent_path(), folder.path, error);
      f.add(found ? State::ok : State::warning, "plugins", text(found, " in ", folder.path));
    }
    for (const plugins::Refusal& r : registry.refusals()) f.add(State::warning, "plugins", text(r.path, " is refused: ", r.why));
    for (const std::string& note : registry.notes()) f.add(State::ok, "plugins", note);
    load_config({}, {}, {}, registry);
  } catch (const Error& e) {
    f.add(State::problem, "plugins", e.what());
  }
}

// Why a file of some size cannot be made in a folder, or empty. Nothing of it stays.
std::string cannot_write(const fs::path& folder) {
  std::string name = (folder / ".foxhunt-doctor-XXXXXX").string();
  const int fd = mkstemp(name.data());
  if (fd < 0) return std::strerror(errno);
  unlink(name.c_str());
  const std::string block(1 << 20, 'x');
  const ssize_t written = write(fd, block.data(), block.size());
  const int reason = written < 0 ? errno : ENOSPC;
  close(fd);
  return written == std::ssize(block) ? "" : std::strerror(reason);
}

std::string gib(std::uintmax_t bytes) { return fixed(static_cast<double>(bytes) / (1u << 30), 1) + " GiB"; }

void check_cache(Findings& f) {
  try {
    const compute::Cache::Report r = compute::cache_report();
    const std::string why = r.problem.empty() ? cannot_write(r.folder) : "";
    if (!r.problem.empty())
      f.add(State::warning, "cache", text("none, every start compiles all kernels: ", r.problem));
    else if (!why.empty())
      f.add(State::warning, "cache", text(r.folder, " takes no new kernels: ", why, "; make room, or set FOXHUNT_CACHE_DIR"));
    else
      f.add(State::ok, "cache", text(r.folder, ", ", r.entries, r.entries == 1 ? " entry, " : " entries, ", r.bytes >> 20, " of ", r.max_bytes >> 20, " MiB"));
  } catch (const Error& e) {
    f.add(State::problem, "cache", e.what());
  }
}

void check_disk(Findings& f) {
  std::error_code error;
  const fs::path here = fs::current_path(error);
  if (error) return f.add(State::problem, "disk", text("the working folder is gone: ", error.message(), "; go to another one"));
  if (const std::string why = cannot_write(here); !why.empty())
    return f.add(State::warning, "disk", text("runs/ cannot be made in ", here, ": ", why, "; go to another folder or use --run FOLDER"));
  const fs::space_info space = fs::space(here, error);
  if (error) return f.add(State::warning, "disk", text("free space in ", here, " is unknown: ", error.message()));
  f.add(space.available < kNoSpace ? State::problem : space.available < kLittleSpace ? State::warning : State::ok, "disk",
        text(gib(space.available), " free in ", here, space.available < kLittleSpace ? "; runs keep checkpoints: make room" : ""));
}

void check_hdf5(Findings& f) {
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  const std::string version = text(major, ".", minor, ".", release);
  if (major == H5_VERS_MAJOR && minor == H5_VERS_MINOR)
    f.add(State::ok, "hdf5", version);
  else
    f.add(State::problem, "hdf5", text("the library is ", version, ", the program was built for ", H5_VERS_INFO, "; install that one or build again"));
}

int doctor(const Arguments& a) {
  compute::set_warning_sink([](const std::string&) {});  // its warnings are findings here
  const BuildInfo b = build_info();
  Findings f;
  f.add(State::ok, "program", text("foxhunt ", b.version, ", commit ", b.commit, ", ", b.compiler));
  check_kernels(f);
  const int gpus = check_cuda(f);
  check_cpu(f, gpus > 0);
  check_plugins(f, a);
  check_cache(f);
  check_disk(f);
  check_hdf5(f);
  return f.finish();
}

}  // namespace

Command doctor_command() {
  return {.name = "doctor",
          .summary = "checks what a run needs on this machine, and says what to do where something is missing",
          .usage = "[options]",
          .details = "One line a finding: ok, warning, problem. Exit code 1 if a problem makes `foxhunt train` impossible.\n",
          .options = {plugin_dir_option()},
          .most_words = 0,
          .run = doctor};
}

}  // namespace foxhunt::cli
