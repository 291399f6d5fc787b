#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "../common/text.hpp"
#include "head.hpp"
#include "input_file.hpp"
#include "probe.hpp"

namespace foxhunt::probe {

namespace {

// Steps of the differences, tried until one agrees. A long one is wrong where a ReLU or a Huber loss bends on the way,
// a short one loses digits to cancellation; a wrong gradient agrees with none.
constexpr double kSteps[] = {1e-4, 1e-5, 1e-6, 1e-7};
constexpr double kGood = 1e-7;

double rms_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v * v;
  return values.empty() ? 0 : std::sqrt(sum / static_cast<double>(values.size()));
}

double relative(double gradient, double difference, double rms) {
  const double error = std::abs(gradient - difference);
  return error == 0 ? 0 : error / std::max({std::abs(gradient), std::abs(difference), rms});
}

double mean_loss(Workbench& bench, HeadRun& run) {
  bench.reset();
  run.learn();
  const std::vector<double> loss = bench.get("/loss");
  const double mean = std::accumulate(loss.begin(), loss.end(), 0.0) / static_cast<double>(loss.size());
  if (!std::isfinite(mean)) throw Error(text("the loss is ", mean, " here; gradients are checked where it is finite"));
  return mean;
}

}  // namespace

Contents read_head_inputs(const Subject& subject, const std::filesystem::path& input) {
  InputFile file(input);
  const fh_shape h = file.shape("/h", {"batch", "hidden"});
  Inputs wanted = inputs_of(subject.head(h.dim[1]), h.dim[0], h.dim[1], subject.actions);
  file.read(wanted.required);
  file.read_if_present(wanted.optional);
  file.check(text(" (for ", subject.actions, " actions; --actions says another number)"));
  wanted.required.merge(wanted.optional);
  return std::move(wanted.required);
}

std::vector<GradientCheck> check_gradients(const Subject& subject, const Contents& inputs) {
  compute::Options options = subject.device();
  options.device = "cpu";
  options.profile = compute::Profile::real64;
  const plugins::QHeadInstance head = subject.head(inputs.at("/h").shape.dim[1]);
  Workbench bench(options, subject.seed());
  HeadRun run(bench, head, inputs, subject.gamma());
  mean_loss(bench, run);

  std::vector<std::pair<std::string, std::string>> pairs;  // an input, and where its gradient is
  for (const fh_declared& d : head.parameters()) pairs.emplace_back(text("/weights/online/", d.name), text("/grad/", d.name));
  pairs.emplace_back("/h", "/grad_h");
  std::vector<std::vector<double>> gradients;
  for (const auto& [variable, gradient] : pairs) gradients.push_back(bench.get(gradient));

  std::vector<GradientCheck> checks;
  for (size_t k = 0; k < pairs.size(); ++k) {
    const std::string& variable = pairs[k].first;
    std::vector<double> values = inputs.at(variable).data;
    GradientCheck check{variable, static_cast<int64_t>(values.size()), rms_of(gradients[k]), 0};
    for (size_t i = 0; i < values.size(); ++i) {
      const double at = values[i];
      const auto loss_at = [&](double x) {
        values[i] = x;
        bench.put(variable, values);
        return mean_loss(bench, run);
      };
      double best = std::isfinite(gradients[k][i]) ? std::numeric_limits<double>::infinity() : NAN;
      for (const double step : kSteps) {
        const double difference = (loss_at(at + step) - loss_at(at - step)) / ((at + step) - (at - step));
        best = std::min(best, relative(gradients[k][i], difference, check.rms));
        if (!(best > kGood)) break;
      }
      values[i] = at;
      check.error = std::isnan(best) ? best : std::max(check.error, best);
    }
    bench.put(variable, values);
    checks.push_back(check);
  }
  return checks;
}

}  // namespace foxhunt::probe
