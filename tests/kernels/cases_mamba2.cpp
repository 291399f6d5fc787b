// Cases of the VSN + Mamba-2 encoder. The references go step by step, whatever the kernels do.
#include <cmath>

#include "cases.hpp"
#include "kernels/mamba2.hpp"
#include "kernels/manifest.hpp"

namespace foxhunt::kernels::test {
namespace {

double sigmoid(double v) { return 1 / (1 + std::exp(-v)); }
double silu(double v) { return v * sigmoid(v); }
double silu_slope(double v) { return derivative(silu, v); }
double softplus(double v) { return v > 20 ? v : std::log1p(std::exp(v)); }

struct Block {
  int64_t heads, head_dim, state, conv, chunk, steps, accounts;
  bool masked, large = false;

  int64_t channels() const { return heads * head_dim; }
  int64_t mixed() const { return channels() + 2 * state; }
  int64_t projected() const { return channels() + mixed() + heads; }
  int64_t rows() const { return steps * accounts; }
  std::string name() const {
    std::string n;
    for (const int64_t v : {heads, head_dim, state, conv, chunk, steps, accounts}) n += std::to_string(v) + " ";
    return n + (masked ? "with episodes" : "one episode");
  }
  std::vector<fh_constant> constants() const {
    return {constant("HEADS", heads), constant("HEAD_DIM", head_dim), constant("STATE", state)};
  }
  std::vector<fh_constant> with_conv() const {
    auto c = constants();
    c.push_back(constant("CONV", conv));
    return c;
  }
  std::vector<fh_constant> with_chunk() const {
    auto c = constants();
    c.push_back(constant("CHUNK", chunk));
    return c;
  }
  Values scalar(int64_t v) const { return {static_cast<double>(v)}; }
  Values valid(int64_t n) const { return flags(n, 9, 0.7); }
  size_t projected_at(int64_t row, int64_t column) const { return at(row * projected() + column); }
  size_t mixed_at(int64_t row, int64_t column) const { return at(row * mixed() + column); }
};

const Block kBlocks[] = {{1, 1, 1, 2, 1, 1, 1, true},   {2, 3, 2, 3, 4, 9, 3, true},     {3, 5, 4, 4, 7, 7, 2, true},
                         {1, 33, 7, 2, 3, 4, 2, false}, {4, 64, 16, 4, 16, 33, 2, true, true}};

// ---- variable selection ----

void vsn_cases(Cases& cases) {
  for (const auto& [rows, features] : {std::pair<int64_t, int64_t>{1, 1}, {3, 7}, {5, 33}, {2, 300}}) {
    const std::string name = std::to_string(rows) + " x " + std::to_string(features);
    const int64_t n = rows * features;
    Values logits = normal(n, 1, 2);
    if (n > 20) logits = with(logits, {1e4, -1e4, 1e30, -1e30});
    cases.add(program_kernels(), vsn_select, name, Grid::blocks(rows), {constant("FEATURES", features)},
              {logits, normal(n, 2), unwritten(n), unwritten(n)}, [rows = rows, features = features](Arguments& a) {
                for (int64_t r = 0; r < rows; ++r) {
                  const Values s = log_softmax(&a["logits"][at(r * features)], features);
                  for (int64_t f = 0; f < features; ++f) {
                    const size_t i = at(r * features + f);
                    a["weights"][i] = std::exp(s[at(f)]);
                    a["weighted"][i] = a["weights"][i] * a["x"][i];
                  }
                }
              });
    Values weights(at(n));
    for (int64_t r = 0; r < rows; ++r) {
      const Values drawn = normal(features, 3 + static_cast<uint64_t>(r)), s = log_softmax(drawn.data(), features);
      for (int64_t f = 0; f < features; ++f) weights[at(r * features + f)] = std::exp(s[at(f)]);
    }
    cases.add(program_kernels(), vsn_select_backward, name, Grid::blocks(rows), {constant("FEATURES", features)},
              {weights, normal(n, 4), normal(n, 5), normal(n, 6), unwritten(n)},
              [rows = rows, features = features](Arguments& a) {
                // d s_f / d logit_g = s_f (1[f = g] - s_g)
                for (int64_t r = 0; r < rows; ++r)
                  for (int64_t g = 0; g < features; ++g) {
                    double sum = 0;
                    for (int64_t f = 0; f < features; ++f) {
                      const size_t i = at(r * features + f), j = at(r * features + g);
                      const double grad = a["grad_weights"][i] + a["x"][i] * a["grad_weighted"][i];
                      sum += grad * a["weights"][i] * ((f == g) - a["weights"][j]);
                    }
                    a["grad_logits"][at(r * features + g)] = sum;
                  }
              });
    // The kernel takes for granted that the weights sum to 1, and as floats they do so only roughly.
    cases.list.back().tolerance64["grad_logits"] = {1e-6, 1e-6};
  }
}

// ---- convolution ----

// Where the taps of one account lie at each step, the oldest first: row of the window, -1 - k for row k of the start,
// kNothing beyond an episode's beginning.
constexpr int64_t kNothing = -1000;
std::vector<std::vector<int64_t>> taps(const Block& k, const Values& valid, int64_t account, int64_t steps) {
  std::vector<int64_t> seen;
  for (int64_t j = 0; j < k.conv - 1; ++j) seen.push_back(-1 - j);
  std::vector<std::vector<int64_t>> result;
  for (int64_t t = 0; t < steps; ++t) {
    if (t > 0 && k.masked && valid[at((t - 1) * k.accounts + account)] == 0) seen.assign(seen.size(), kNothing);
    seen.push_back(t * k.accounts + account);
    result.push_back(seen);
    seen.erase(seen.begin());
  }
  return result;
}

double input(const Block& k, Arguments& a, int64_t account, int64_t tap, int64_t c) {
  if (tap == kNothing) return 0;
  if (tap < 0) return a["start"][at((account * (k.conv - 1) - 1 - tap) * k.mixed() + c)];
  return a["projected"][k.projected_at(tap, k.channels() + c)];
}

void conv_cases(Cases& cases) {
  for (const Block& k : kBlocks) {
    const int64_t rows = k.rows(), M = k.mixed(), start = k.accounts * (k.conv - 1) * M;
    const Values projected = normal(rows * k.projected(), 1), w = normal(k.conv * M, 2), b = normal(M, 3),
                 before = normal(start, 4), valid = k.valid(rows), masked = k.scalar(k.masked),
                 accounts = k.scalar(k.accounts);
    const auto add = [&](const fh_kernel& kernel, int64_t blocks, std::vector<Values> arguments,
                         std::function<void(Arguments&)> reference) -> KernelCase& {
      KernelCase& c = cases.add(program_kernels(), kernel, k.name(), Grid::blocks(blocks), k.with_conv(),
                                std::move(arguments), std::move(reference));
      c.large = k.large;
      return c;
    };
    // Fewer blocks than rows.
    add(conv_forward, (rows + 1) / 2, {projected, w, b, before, valid, unwritten(rows * M), masked, accounts, k.scalar(rows)},
        [k](Arguments& a) {
          for (int64_t account = 0; account < k.accounts; ++account) {
            const auto seen = taps(k, a["valid"], account, k.steps);
            for (int64_t t = 0; t < k.steps; ++t)
              for (int64_t c = 0; c < k.mixed(); ++c) {
                double sum = a["b"][at(c)];
                for (int64_t j = 0; j < k.conv; ++j)
                  sum += a["w"][at(j * k.mixed() + c)] * input(k, a, account, seen[at(t)][at(j)], c);
                a["mixed"][k.mixed_at(t * k.accounts + account, c)] = sum;
              }
          }
        });
    add(conv_end, (k.accounts + 1) / 2, {projected, before, valid, unwritten(start), masked, k.scalar(k.steps), accounts},
        [k](Arguments& a) {
          for (int64_t account = 0; account < k.accounts; ++account) {
            const std::vector<int64_t> seen = taps(k, a["valid"], account, k.steps + 1).back();
            for (int64_t j = 0; j < k.conv - 1; ++j)
              for (int64_t c = 0; c < k.mixed(); ++c)
                a["end"][at((account * (k.conv - 1) + j) * k.mixed() + c)] = input(k, a, account, seen[at(j)], c);
          }
        });
    add(conv_grad_mixed, (rows + 1) / 2,
        {normal(rows * M, 5), normal(rows * k.channels(), 6), normal(rows * k.heads * 2 * k.state, 7), unwritten(rows * M),
         k.scalar(rows)},
        [k](Arguments& a) {
          for (int64_t r = 0; r < k.rows(); ++r)
            for (int64_t c = 0; c < k.mixed(); ++c) {
              double grad = c < k.channels() ? a["grad_x"][at(r * k.channels() + c)] : 0;
              for (int64_t h = 0; h < k.heads && c >= k.channels(); ++h)
                grad += a["grad_bc"][at((r * k.heads + h) * 2 * k.state + c - k.channels())];
              a["grad_mixed"][k.mixed_at(r, c)] = grad * silu_slope(a["mixed"][k.mixed_at(r, c)]);
            }
        })
        .tolerance64["grad_mixed"] = {1e-9, 1e-9};
    const Values grad = normal(rows * M, 8);
    add(conv_backward, (rows + 1) / 2,
        {grad, w, valid, normal(rows * k.projected(), 9), masked, accounts, k.scalar(rows)}, [k](Arguments& a) {
          for (int64_t r = 0; r < k.rows(); ++r)
            for (int64_t c = 0; c < k.mixed(); ++c) a["grad_projected"][k.projected_at(r, k.channels() + c)] = 0;
          for (int64_t account = 0; account < k.accounts; ++account) {
            const auto seen = taps(k, a["valid"], account, k.steps);
            for (int64_t t = 0; t < k.steps; ++t)
              for (int64_t j = 0; j < k.conv; ++j)
                for (int64_t c = 0; c < k.mixed() && seen[at(t)][at(j)] >= 0; ++c)
                  a["grad_projected"][k.projected_at(seen[at(t)][at(j)], k.channels() + c)] +=
                      a["w"][at(j * k.mixed() + c)] * a["grad_mixed"][k.mixed_at(t * k.accounts + account, c)];
          }
        });
    const int64_t each = (rows + 2) / 3, blocks = (rows + each - 1) / each;
    add(conv_weights_partial, blocks,
        {projected, before, valid, grad, unwritten(blocks * k.conv * M), masked, accounts, k.scalar(rows), k.scalar(each)},
        [k, each](Arguments& a) {
          for (double& v : a["partial"]) v = 0;
          for (int64_t account = 0; account < k.accounts; ++account) {
            const auto seen = taps(k, a["valid"], account, k.steps);
            for (int64_t t = 0; t < k.steps; ++t)
              for (int64_t j = 0; j < k.conv; ++j)
                for (int64_t c = 0; c < k.mixed(); ++c) {
                  const int64_t row = t * k.accounts + account;
                  a["partial"][at((row / each * k.conv + j) * k.mixed() + c)] +=
                      a["grad_mixed"][k.mixed_at(row, c)] * input(k, a, account, seen[at(t)][at(j)], c);
                }
          }
        })
        .tolerance["partial"] = {1e-5, 1e-5};
  }
}

// ---- gate and norm ----

Values gated_norm(const double* z, const double* y, const Values& gain) {
  Values v(gain.size());
  double squares = 0;
  for (size_t i = 0; i < v.size(); ++i) {
    v[i] = y[i] * silu(z[i]);
    squares += v[i] * v[i];
  }
  const double inverse = 1 / std::sqrt(squares / static_cast<double>(v.size()) + 1e-5);
  for (size_t i = 0; i < v.size(); ++i) v[i] *= inverse * gain[i];
  return v;
}

void gated_norm_cases(Cases& cases) {
  for (const Block& k : kBlocks) {
    const int64_t rows = std::min<int64_t>(k.rows(), 5), C = k.channels();
    // The first row is all zeros.
    const Values projected = normal(rows * k.projected(), 1), gain = normal(C, 3),
                 y = rows > 1 ? with(normal(rows * C, 2), same(C, 0)) : normal(rows * C, 2);
    cases
        .add(program_kernels(), gated_norm_forward, k.name(), Grid::blocks(rows), k.constants(),
             {projected, y, gain, unwritten(rows * C)},
             [k, rows](Arguments& a) {
               for (int64_t r = 0; r < rows; ++r) {
                 const Values row = gated_norm(&a["projected"][k.projected_at(r, 0)], &a["y"][at(r * k.channels())], a["gain"]);
                 std::copy(row.begin(), row.end(), &a["gated"][at(r * k.channels())]);
               }
             })
        .large = k.large;
    KernelCase& c = cases.add(
        program_kernels(), gated_norm_backward, k.name(), Grid::blocks(rows), k.constants(),
        {projected, y, gain, normal(rows * C, 4), normal(rows * k.projected(), 5), unwritten(rows * C), unwritten(rows * C)},
        [k, rows](Arguments& a) {
          const auto n = at(k.channels());
          for (int64_t r = 0; r < rows; ++r) {
            const size_t from = at(r * k.channels()), z = k.projected_at(r, 0);
            Values gains = a["gain"];
            const auto slope = [&](double& variable) {
              const double kept = variable;
              const double d = derivative(
                  [&](double v) {
                    variable = v;
                    const Values row = gated_norm(&a["projected"][z], &a["y"][from], gains);
                    double sum = 0;
                    for (size_t i = 0; i < n; ++i) sum += a["grad_gated"][from + i] * row[i];
                    return sum;
                  },
                  kept, 2e-6);
              variable = kept;
              return d;
            };
            for (size_t i = 0; i < n; ++i) {
              a["grad_projected"][z + i] = slope(a["projected"][z + i]);
              a["grad_y"][from + i] = slope(a["y"][from + i]);
              a["gain_terms"][from + i] = slope(gains[i]);
            }
          }
        });
    c.large = k.large;
    // The zero row's slopes are in the hundreds.
    for (const char* name : {"grad_projected", "grad_y", "gain_terms"}) {
      c.tolerance[name] = {2e-5, 2e-5};
      c.tolerance64[name] = {1e-7, 1e-7};
    }
  }
}

// ---- recurrence ----

Values rates(int64_t heads) {
  Values v;
  for (int64_t h = 0; h < heads; ++h) v.push_back(std::log(1 + 3.0 * static_cast<double>(h)));
  return v;
}

void step_cases(Cases& cases) {
  for (const Block& k : kBlocks)
    for (const bool advance : {true, false}) {
      const int64_t B = k.accounts, M = k.mixed(), C = k.channels();
      KernelCase& added = cases.add(
          program_kernels(), mamba_step, k.name() + (advance ? "" : ", stays"), Grid::blocks((B + 1) / 2), k.with_conv(),
          {normal(B * k.projected(), 1), normal(k.conv * M, 2, 0.5), normal(M, 3), rates(k.heads), normal(k.heads, 4),
           with(normal(k.heads, 5), {25}), normal(C, 6), flags(B, 7, 0.5), normal(B * (k.conv - 1) * M, 8),
           normal(B * k.state * C, 9), unwritten(B * M), unwritten(B * C), unwritten(B * C), k.scalar(k.masked),
           k.scalar(advance), k.scalar(B)},
          [k, advance](Arguments& a) {
            const int64_t D = k.mixed(), width = k.channels();
            for (int64_t b = 0; b < k.accounts; ++b) {
              const bool fresh = k.masked && a["valid_before"][at(b)] == 0;
              double* past = &a["conv_state"][at(b * (k.conv - 1) * D)];
              double* state = &a["state"][at(b * k.state * width)];
              if (fresh) {
                std::fill(past, past + (k.conv - 1) * D, 0);
                std::fill(state, state + k.state * width, 0);
              }
              double* mixed = &a["mixed"][k.mixed_at(b, 0)];
              for (int64_t c = 0; c < D; ++c) {
                const double now = a["projected"][k.projected_at(b, width + c)];
                mixed[c] = a["conv_b"][at(c)] + a["conv_w"][at((k.conv - 1) * D + c)] * now;
                for (int64_t j = 0; j + 1 < k.conv; ++j) mixed[c] += a["conv_w"][at(j * D + c)] * past[j * D + c];
                for (int64_t j = 0; j + 2 < k.conv && advance; ++j) past[j * D + c] = past[(j + 1) * D + c];
                if (advance) past[(k.conv - 2) * D + c] = now;
              }
              for (int64_t i = 0; i < width; ++i) {
                const int64_t h = i / k.head_dim;
                const double dt = softplus(a["projected"][k.projected_at(b, width + D + h)] + a["dt_bias"][at(h)]);
                const double x = silu(mixed[i]);
                double y = a["skip"][at(h)] * x;
                for (int64_t n = 0; n < k.state; ++n) {
                  double& s = state[n * width + i];
                  const double next = std::exp(-dt * std::exp(a["a_log"][at(h)])) * s + dt * x * silu(mixed[width + n]);
                  y += next * silu(mixed[width + k.state + n]);
                  if (advance) s = next;
                }
                a["y"][at(b * width + i)] = y;
              }
              const Values row = gated_norm(&a["projected"][k.projected_at(b, 0)], &a["y"][at(b * width)], a["gain"]);
              std::copy(row.begin(), row.end(), &a["gated"][at(b * width)]);
            }
          });
      added.large = k.large;
      for (const char* name : {"state", "y", "gated"}) added.tolerance[name] = {2e-5, 2e-5};
    }
}

// One account and head, from step to step.
struct Line {
  Line(const Block& k_, Arguments& a_, int64_t account_, int64_t head_) : k(k_), a(a_), account(account_), head(head_) {
    for (int64_t n = 0; n < k.state; ++n)
      for (int64_t p = 0; p < k.head_dim; ++p) now.push_back(a["start"][at((account * k.state + n) * k.channels() + head * k.head_dim + p)]);
  }
  int64_t row(int64_t t) const { return t * k.accounts + account; }
  bool begins(int64_t t) const { return k.masked && t > 0 && a["valid"][at(row(t - 1))] == 0; }
  double raw(int64_t t) const {
    return a["projected"][k.projected_at(row(t), k.channels() + k.mixed() + head)] + a["dt_bias"][at(head)];
  }
  double rate() const { return std::exp(a["a_log"][at(head)]); }
  double x(int64_t t, int64_t p) const { return silu(a["mixed"][k.mixed_at(row(t), head * k.head_dim + p)]); }
  double b(int64_t t, int64_t n) const { return silu(a["mixed"][k.mixed_at(row(t), k.channels() + n)]); }
  double c(int64_t t, int64_t n) const { return silu(a["mixed"][k.mixed_at(row(t), k.channels() + k.state + n)]); }
  size_t channel(int64_t t, int64_t p) const { return at(row(t) * k.channels() + head * k.head_dim + p); }
  /// S after step t, from that before it.
  void step(int64_t t) {
    const double dt = softplus(raw(t)), decay = std::exp(-dt * rate());
    for (int64_t n = 0; n < k.state; ++n)
      for (int64_t p = 0; p < k.head_dim; ++p) {
        double& s = now[at(n * k.head_dim + p)];
        s = (begins(t) ? 0 : decay * s) + dt * x(t, p) * b(t, n);
      }
  }
  const Block& k;
  Arguments& a;
  int64_t account, head;
  Values now{};  // [state, head_dim]
};

void ssd_forward_reference(const Block& k, Arguments& a) {
  for (int64_t account = 0; account < k.accounts; ++account)
    for (int64_t head = 0; head < k.heads; ++head) {
      Line line(k, a, account, head);
      for (int64_t t = 0; t < k.steps; ++t) {
        line.step(t);
        for (int64_t p = 0; p < k.head_dim; ++p) {
          double y = a["skip"][at(head)] * line.x(t, p);
          for (int64_t n = 0; n < k.state; ++n) y += line.now[at(n * k.head_dim + p)] * line.c(t, n);
          a["y"][line.channel(t, p)] = y;
        }
      }
      for (int64_t n = 0; n < k.state; ++n)
        for (int64_t p = 0; p < k.head_dim; ++p)
          a["end"][at((account * k.state + n) * k.channels() + head * k.head_dim + p)] =
              line.begins(k.steps) ? 0 : line.now[at(n * k.head_dim + p)];
    }
}

// Back through time, with every state kept.
void ssd_backward_reference(const Block& k, Arguments& a) {
  const int64_t N = k.state, P = k.head_dim, chunks = (k.steps + k.chunk - 1) / k.chunk;
  for (int64_t account = 0; account < k.accounts; ++account)
    for (int64_t head = 0; head < k.heads; ++head) {
      Line line(k, a, account, head);
      std::vector<Values> states{line.now};
      for (int64_t t = 0; t < k.steps; ++t) {
        line.step(t);
        states.push_back(line.now);
        if ((t + 1) % k.chunk != 0 || (t + 1) / k.chunk >= chunks) continue;
        const int64_t to = ((account * k.heads + head) * (chunks - 1) + (t + 1) / k.chunk - 1) * N * P;
        std::copy(line.now.begin(), line.now.end(), &a["chunk_states"][at(to)]);
      }
      double of_rate = 0, of_skip = 0, of_bias = 0;
      Values ds(at(N * P), 0);
      for (int64_t t = k.steps - 1; t >= 0; --t) {
        const double dt = softplus(line.raw(t)), decay = std::exp(-dt * line.rate());
        double of_dt = 0, of_decay = 0;
        double* of_b = &a["grad_bc"][at((line.row(t) * k.heads + head) * 2 * N)];
        for (int64_t n = 0; n < N; ++n) of_b[n] = of_b[N + n] = 0;
        for (int64_t p = 0; p < P; ++p) {
          const double dy = a["grad_y"][line.channel(t, p)];
          double of_x = a["skip"][at(head)] * dy;
          of_skip += dy * line.x(t, p);
          for (int64_t n = 0; n < N; ++n) {
            const size_t i = at(n * P + p);
            ds[i] += dy * line.c(t, n);
            of_b[N + n] += dy * states[at(t + 1)][i];
            of_b[n] += ds[i] * dt * line.x(t, p);
            of_x += ds[i] * dt * line.b(t, n);
            of_dt += ds[i] * line.x(t, p) * line.b(t, n);
            of_decay += line.begins(t) ? 0 : ds[i] * states[at(t)][i];
            ds[i] *= line.begins(t) ? 0 : decay;
          }
          a["grad_x"][line.channel(t, p)] = of_x;
        }
        of_dt -= of_decay * decay * line.rate();
        of_rate -= of_decay * decay * dt * line.rate();
        const double of_raw = of_dt * (line.raw(t) > 20 ? 1 : sigmoid(line.raw(t)));
        of_bias += of_raw;
        a["grad_projected"][k.projected_at(line.row(t), k.channels() + k.mixed() + head)] = of_raw;
      }
      const size_t block = at(account * k.heads + head);
      a["grad_a_log"][block] = of_rate;
      a["grad_skip"][block] = of_skip;
      a["grad_dt_bias"][block] = of_bias;
    }
}

void ssd_cases(Cases& cases) {
  for (const Block& k : kBlocks) {
    const int64_t rows = k.rows(), blocks = k.accounts * k.heads, C = k.channels(),
                  borders = std::max<int64_t>((k.steps - 1) / k.chunk, 1);
    const Values projected = normal(rows * k.projected(), 1), mixed = normal(rows * k.mixed(), 2), skip = normal(k.heads, 3),
                 bias = with(normal(k.heads, 4), {k.heads > 2 ? 25.0 : -1.0}), start = normal(k.accounts * k.state * C, 5),
                 valid = k.valid(rows);
    KernelCase& forward = cases.add(
        program_kernels(), ssd_forward, k.name(), Grid::blocks((blocks + 1) / 2), k.with_chunk(),
        {projected, mixed, rates(k.heads), skip, bias, start, valid, unwritten(rows * C), unwritten(k.accounts * k.state * C),
         k.scalar(k.masked), k.scalar(k.steps), k.scalar(k.accounts)},
        [k](Arguments& a) { ssd_forward_reference(k, a); });
    forward.large = k.large;
    for (const char* name : {"y", "end"}) forward.tolerance[name] = {2e-5, 2e-5};
    KernelCase& backward = cases.add(
        program_kernels(), ssd_backward, k.name(), Grid::blocks((blocks + 1) / 2), k.with_chunk(),
        {projected, mixed, rates(k.heads), skip, bias, start, valid, normal(rows * C, 6), normal(rows * k.projected(), 7),
         unwritten(rows * C), unwritten(rows * k.heads * 2 * k.state), unwritten(blocks), unwritten(blocks), unwritten(blocks),
         unwritten(blocks * borders * k.state * k.head_dim), k.scalar(k.masked), k.scalar(k.steps), k.scalar(k.accounts)},
        [k](Arguments& a) { ssd_backward_reference(k, a); });
    backward.large = k.large;
    // Sums of hundreds of terms of both signs.
    for (const char* name : {"grad_projected", "grad_x", "grad_bc", "grad_a_log", "grad_skip", "grad_dt_bias", "chunk_states"})
      backward.tolerance[name] = {2e-4, 2e-5};
  }
}

}  // namespace

void mamba2_cases(Cases& cases) {
  vsn_cases(cases);
  conv_cases(cases);
  gated_norm_cases(cases);
  step_cases(cases);
  ssd_cases(cases);
}

}  // namespace foxhunt::kernels::test
