#include "subject.hpp"

#include "../common/text.hpp"

namespace foxhunt::probe {

compute::Options Subject::device() const {
  compute::Options o;
  o.device = config.text("trainer.device");
  o.threads = static_cast<int>(config.integer("trainer.threads"));
  o.profile = config.text("trainer.profile") == "parity" ? compute::Profile::parity : compute::Profile::fast;
  o.tf32 = config.flag("trainer.tf32");
  return o;
}

plugins::QHeadInstance Subject::head(int64_t hidden) const {
  return registry.q_head(config, config.heads().front(), hidden, actions, gamma());
}

plugins::RewardShaperInstance Subject::shaper() const { return registry.reward_shaper(config, config.real("policy.gamma")); }

plugins::PositionSizerInstance Subject::sizer(int64_t number_of_actions) const {
  return registry.position_sizer(config, number_of_actions, gamma());
}

checkpoints::Attributes attributes_of(const Subject& subject, const plugins::Instance& instance) {
  const plugins::Candidate& c = instance.plugin().candidate();
  std::vector<std::string> options;
  for (const fh_option& o : instance.plugin().options())
    for (const config::Config::Value& v : subject.config.values())
      if (v.setting.key == text(instance.name(), ".", o.name)) options.push_back(text(o.name, " = ", v.text));
  return {{"plugin", c.description.name},
          {"plugin_kind", std::string(plugins::name_of(c.description.kind))},
          {"plugin_version", c.description.version},
          {"plugin_sha256", c.sha256},
          {"options", options},
          {"gamma", subject.gamma()},
          {"seed", static_cast<std::int64_t>(subject.seed())}};
}

}  // namespace foxhunt::probe
