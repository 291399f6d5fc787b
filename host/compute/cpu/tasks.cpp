#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>

#include "executable.hpp"

namespace foxhunt::compute::cpu {
namespace {

constexpr uint64_t elements_per_block = 2048;
constexpr int64_t bytes_per_piece = 256 << 10;  // of fills and copies
constexpr double worth_sharing = 5;  // µs of work; waking a worker that spins costs about half of one

class Launch final : public Task {
 public:
  Launch(Engine& engine, const LaunchOp& op, Trampoline trampoline) : trampoline_(trampoline) {
    blocks_ = op.grid.kind == FH_GRID_ELEMENTS ? blocks_for_elements(op.grid.count) : op.grid.count;
    shared_bytes_ = op.shared_bytes(1);
    engine.shared.reserve(shared_bytes_);
    values_.resize(op.arguments.size());
    for (size_t i = 0; i < op.arguments.size(); ++i) {
      const LaunchOp::Value& v = op.arguments[i];
      if (v.operand.tensor != 0)
        store(i, engine.memory->at(v.operand));
      else if (engine.real64 && op.kernel->params[i].dtype == FH_F32)
        store(i, static_cast<double>(v.scalar.scalar.f32));
      else
        store(i, v.scalar.scalar);
    }
    for (Value& value : values_) arguments_.push_back(value.data());
    pieces_ = std::min<uint64_t>(blocks_, static_cast<uint64_t>(engine.pool.threads()) * 4);
  }

  // Which worker runs a block has no influence on its result, so how the work is shared may follow the clock.
  void run(Engine& engine) override {
    const bool shared = blocks_ > 1 && microseconds_ > worth_sharing && engine.pool.threads() > 1;
    const auto start = std::chrono::steady_clock::now();
    if (shared)
      engine.pool.run(static_cast<int64_t>(pieces_), [&](int64_t piece, int worker) {
        const auto p = static_cast<uint64_t>(piece);
        run_blocks(engine, blocks_ * p / pieces_, blocks_ * (p + 1) / pieces_, worker);
      });
    else
      run_blocks(engine, 0, blocks_, 0);
    const double now =
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
    const double alone =
        shared ? now * std::min<double>(engine.pool.threads(), static_cast<double>(pieces_)) : now;
    // The smallest time decides: the others have been disturbed. It decays, so that a lucky one is forgotten.
    microseconds_ = std::min(alone, microseconds_ * 1.05);
  }

 private:
  using Value = std::array<std::byte, 8>;

  template <class T>
  void store(size_t i, const T& value) {
    static_assert(sizeof value <= sizeof(Value));
    std::memcpy(values_[i].data(), &value, sizeof value);
  }

  void run_blocks(Engine& engine, uint64_t first, uint64_t last, int worker) {
    trampoline_(arguments_.data(), first, last, blocks_, engine.shared.of(worker), shared_bytes_);
  }

  Trampoline trampoline_;
  uint64_t blocks_ = 0, pieces_ = 1, shared_bytes_ = 0;
  double microseconds_ = 1e9;  // of the whole launch by one worker
  std::vector<Value> values_;
  std::vector<void*> arguments_;
};

template <class T>
class Multiply final : public Task {
 public:
  Multiply(const Memory& memory, const GemmOp& op) : tiles_(tiling(op.m, op.n, op.k)) {
    const auto at = [&](const Operand& o) { return reinterpret_cast<T*>(memory.at(o)); };
    product_ = {at(op.a),
                at(op.b),
                at(op.c),
                op.bias.tensor ? at(op.bias) : nullptr,
                op.m,
                op.n,
                op.k,
                op.transpose_a,
                op.transpose_b,
                static_cast<T>(op.alpha),
                static_cast<T>(op.beta)};
  }
  void run(Engine& engine) override { multiply(engine.pool, product_, tiles_); }

 private:
  Product<T> product_;
  Tiling tiles_;
};

// Pieces of whole elements of at most 8 bytes each.
template <class Body>
void over_bytes(Engine& engine, size_t bytes, Body&& body) {
  const auto n = static_cast<int64_t>(bytes);
  engine.pool.run((n + bytes_per_piece - 1) / bytes_per_piece, [&](int64_t piece, int) {
    const int64_t begin = piece * bytes_per_piece;
    body(begin, std::min(bytes_per_piece, n - begin));
  });
}

class Fill final : public Task {
 public:
  Fill(const Engine& engine, const Tensors& tensors, const FillOp& op)
      : to_(engine.memory->at(op.to)),
        bytes_(engine.memory->bytes(op.to)),
        element_(engine.memory->element(op.to.tensor)) {
    const auto put = [&](auto value) { std::memcpy(pattern_.data(), &value, sizeof value); };
    switch (tensors[op.to.tensor].dtype) {
      case FH_F32:
        engine.real64 ? put(op.value) : put(static_cast<float>(op.value));
        break;
      case FH_F64:
        put(op.value);
        break;
      case FH_I32:
        put(static_cast<int32_t>(op.value));
        break;
      case FH_U32:
        put(static_cast<uint32_t>(op.value));
        break;
      case FH_U8:
        put(static_cast<uint8_t>(op.value));
        break;
      case FH_I64:
        put(static_cast<int64_t>(op.value));
        break;
      case FH_U64:
        put(static_cast<uint64_t>(op.value));
        break;
    }
  }
  void run(Engine& engine) override {
    over_bytes(engine, bytes_, [&](int64_t begin, int64_t n) {
      if (element_ == 8) return spread<uint64_t>(begin, n);
      if (element_ == 4) return spread<uint32_t>(begin, n);
      spread<uint8_t>(begin, n);
    });
  }

 private:
  template <class T>
  void spread(int64_t begin, int64_t bytes) const {
    T value;
    std::memcpy(&value, pattern_.data(), sizeof value);
    std::fill_n(reinterpret_cast<T*>(to_ + begin), bytes / static_cast<int64_t>(sizeof(T)), value);
  }
  std::byte* to_;
  size_t bytes_, element_;
  std::array<std::byte, 8> pattern_{};
};

class Copy final : public Task {
 public:
  Copy(const Memory& memory, const CopyOp& op)
      : to_(memory.at(op.to)), from_(memory.at(op.from)), bytes_(memory.bytes(op.to)) {}
  void run(Engine& engine) override {
    over_bytes(engine, bytes_, [&](int64_t begin, int64_t n) {
      std::memcpy(to_ + begin, from_ + begin, static_cast<size_t>(n));
    });
  }

 private:
  std::byte* to_;
  const std::byte* from_;
  size_t bytes_;
};

}  // namespace

uint64_t blocks_for_elements(uint64_t count) {
  return std::min<uint64_t>((count + elements_per_block - 1) / elements_per_block, 1u << 30);
}

void SharedArenas::reserve(size_t bytes) {
  if (bytes <= arenas_.front().bytes()) return;
  for (Arena& arena : arenas_) arena = Arena(bytes);
}

std::vector<std::unique_ptr<Task>> make_tasks(Engine& engine, const Tensors& tensors, const Program& program,
                                              const std::vector<std::shared_ptr<LoadedLibrary>>& libraries) {
  std::vector<std::unique_ptr<Task>> tasks;
  for (const Op& op : program.ops) {
    if (const auto* launch = std::get_if<LaunchOp>(&op.work)) {
      void* address = libraries[launch->unit]->function(trampoline_name(launch->kernel->entry));
      tasks.push_back(std::make_unique<Launch>(engine, *launch, reinterpret_cast<Trampoline>(address)));
    } else if (const auto* gemm = std::get_if<GemmOp>(&op.work)) {
      if (engine.real64)
        tasks.push_back(std::make_unique<Multiply<double>>(*engine.memory, *gemm));
      else
        tasks.push_back(std::make_unique<Multiply<float>>(*engine.memory, *gemm));
    } else if (const auto* fill = std::get_if<FillOp>(&op.work)) {
      tasks.push_back(std::make_unique<Fill>(engine, tensors, *fill));
    } else {
      tasks.push_back(std::make_unique<Copy>(*engine.memory, std::get<CopyOp>(op.work)));
    }
  }
  return tasks;
}

}  // namespace foxhunt::compute::cpu
