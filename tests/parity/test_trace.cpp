// What the host asks of the driver between iterations: the graph's launch, an event, and nothing else.
#include <cupti.h>

#include <atomic>
#include <iostream>
#include <map>

#include "../../host/config/config.hpp"
#include "../../host/plugins/registry.hpp"
#include "../../host/trainer/metrics.hpp"
#include "../../host/trainer/session.hpp"
#include "devices.hpp"

namespace foxhunt::parity {
namespace {

/// Counts the driver's calls by name while it lives.
class Calls {
 public:
  Calls() {
    EXPECT_EQ(cuptiSubscribe(&subscriber_, reinterpret_cast<CUpti_CallbackFunc>(&Calls::seen), this), CUPTI_SUCCESS);
    EXPECT_EQ(cuptiEnableDomain(1, subscriber_, CUPTI_CB_DOMAIN_DRIVER_API), CUPTI_SUCCESS);
  }
  ~Calls() { cuptiUnsubscribe(subscriber_); }
  const std::map<std::string, int>& by_name() const { return counts_; }

 private:
  static void CUPTIAPI seen(void* self, CUpti_CallbackDomain, CUpti_CallbackId, const CUpti_CallbackData* data) {
    if (data->callbackSite == CUPTI_API_ENTER) ++static_cast<Calls*>(self)->counts_[data->functionName];
  }
  CUpti_SubscriberHandle subscriber_ = nullptr;
  std::map<std::string, int> counts_;
};

class Trace : public OnGpu {};

TEST_F(Trace, AnIterationIsOneGraphLaunch) {
  static plugins::Registry registry({{FOXHUNT_BUILT_PLUGINS, true}});
  setenv("FOXHUNT_CUDA_MODULE", FOXHUNT_CUDA_MODULE, 0);
  const config::Config config = config::assemble(
      {config::parse_text("[trainer]\ndevice = cuda\n[env]\nrows = 16384\n", "test")},
      [](config::Kind k, const std::string& p) { return registry.settings(k, p); });
  trainer::Session session(config, registry);
  trainer::MetricsReader metrics(session);
  session.initialise();
  const int64_t lag = session.plan().metrics_lag;
  const auto iterate = [&](int count) {
    for (int i = 0; i < count; ++i) {
      session.submit();
      const int64_t known = session.step() - 1 - lag;
      if (known < 0) continue;
      session.compute().wait(session.run_of(known));
      metrics.read(known);
    }
  };
  iterate(20);
  constexpr int count = 100;
  Calls calls;
  iterate(count);
  const std::map<std::string, int> seen = calls.by_name();
  for (const auto& [name, n] : seen) std::cout << name << "  " << n << "\n";
  EXPECT_EQ(seen.size() ? seen.count("cuGraphLaunch") : 0, 1u);
  for (const auto& [name, n] : seen) {
    const bool launch = name.starts_with("cuGraphLaunch"), event = name.starts_with("cuEventRecord") || name.starts_with("cuEventSynchronize");
    const bool context = name.starts_with("cuCtxGet") || name.starts_with("cuCtxSet") || name.starts_with("cuDeviceGet");
    EXPECT_TRUE(launch || event || context) << name << " was called " << n << " times in " << count << " iterations";
    if (launch) {
      EXPECT_EQ(n, count);
    }
  }
}

}  // namespace
}  // namespace foxhunt::parity
