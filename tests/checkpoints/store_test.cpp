#include <signal.h>
#include <sys/resource.h>

#include <cmath>
#include <foxhunt/checkpoints/reader.hpp>
#include <foxhunt/checkpoints/store.hpp>

#include "helpers.hpp"

namespace foxhunt::checkpoints::test {
namespace {

using Names = std::vector<std::string>;

std::int64_t step_in(const fs::path& file) { return Reader(file).integer("step"); }

std::vector<std::uint64_t> steps_of(const Store& store) {
  std::vector<std::uint64_t> out;
  for (const auto& stored : store.steps()) out.push_back(stored.step);
  return out;
}

TEST(Store, WritesStepAndLatest) {
  const TemporaryFolder folder;
  Store store(folder / "run/checkpoints");
  EXPECT_FALSE(store.latest());
  store.save(20, Sample(20).checkpoint());
  const Saved saved = store.save(40, Sample(40).checkpoint());
  EXPECT_EQ(saved.file.filename(), "step-000000040.h5");
  EXPECT_EQ(saved.bytes, fs::file_size(saved.file));
  EXPECT_EQ(step_in(*store.latest()), 40);
  EXPECT_EQ(fs::hard_link_count(saved.file), 2u);
  EXPECT_EQ(steps_of(store), (std::vector<std::uint64_t>{20, 40}));
  store.save(40, Sample(41).checkpoint());  // the same step again replaces both names
  EXPECT_EQ(step_in(saved.file), 41);
  EXPECT_EQ(step_in(*store.latest()), 41);
  fs::remove(folder / "run/checkpoints/latest.h5");
  EXPECT_EQ(store.latest()->filename(), "step-000000040.h5");
  EXPECT_EQ(Store::file_name(12345678901), "step-12345678901.h5");
}

TEST(Store, WithoutHardLinksLatestIsACopy) {
  const TemporaryFolder folder;
  Store store(folder.path(), {.keep_last = 1, .best_metric = "sharpe", .hard_links = false});
  store.save(1, Sample(1).checkpoint(), 0.5);
  const Saved saved = store.save(2, Sample(2).checkpoint(), 0.1);
  EXPECT_EQ(fs::hard_link_count(saved.file), 1u);
  EXPECT_EQ(step_in(folder / "latest.h5"), 2);
  EXPECT_EQ(step_in(folder / "best.h5"), 1);
  EXPECT_EQ(folder.names(), (Names{"best.h5", "latest.h5", "step-000000002.h5"}));
}

TEST(Store, KeepsTheLastAndForeignFiles) {
  const TemporaryFolder folder;
  const Names foreign{"step-1.h5", "step-000000001.h5.bak", "step-00000000a.h5", "step-0000000001.h5",
                      "mine.h5"};
  for (const auto& name : foreign) write_bytes(folder / name, std::string("mine"));
  Store store(folder.path(), {.keep_last = 2});
  for (std::uint64_t step = 1; step <= 5; ++step) store.save(step, Sample(step).checkpoint());
  EXPECT_EQ(steps_of(store), (std::vector<std::uint64_t>{4, 5}));
  for (const auto& name : foreign) EXPECT_TRUE(fs::exists(folder / name)) << name;

  // A run that was set back: the new steps count, what lies ahead of them is left alone.
  store.save(2, Sample(2).checkpoint());
  store.save(3, Sample(3).checkpoint());
  EXPECT_EQ(steps_of(store), (std::vector<std::uint64_t>{2, 3, 4, 5}));
  EXPECT_EQ(step_in(folder / "latest.h5"), 3);
}

TEST(Store, BestFollowsTheMetricAcrossRestarts) {
  const TemporaryFolder folder;
  const StoreOptions options{.keep_last = 1, .best_metric = "val_loss", .best_is_highest = false};
  EXPECT_FALSE(Store(folder.path(), options).save(1, Sample(1).checkpoint(), std::nan("")).best);
  EXPECT_TRUE(Store(folder.path(), options).save(2, Sample(2).checkpoint(), 0.5).best);
  EXPECT_FALSE(Store(folder.path(), options).save(3, Sample(3).checkpoint(), 0.5).best);
  EXPECT_FALSE(Store(folder.path(), options).save(4, Sample(4).checkpoint(), std::nan("")).best);
  EXPECT_FALSE(Store(folder.path(), options).save(5, Sample(5).checkpoint()).best);
  EXPECT_EQ(step_in(folder / "best.h5"), 2);  // although its step file is gone
  EXPECT_TRUE(Store(folder.path(), options).save(6, Sample(6).checkpoint(), -1).best);
  EXPECT_EQ(step_in(folder / "best.h5"), 6);
  EXPECT_EQ(Reader(folder / "best.h5").real("best_metric_value"), -1);
  EXPECT_EQ(folder.names(), (Names{"best.h5", "latest.h5", "step-000000006.h5"}));
}

TEST(Store, RemovesWhatDeadWritersLeft) {
  const TemporaryFolder folder;
  const pid_t dead = fork();
  if (dead == 0) _exit(0);
  waitpid(dead, nullptr, 0);
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  std::string plain(host);
  for (char& c : plain) {
    if (!isalnum(static_cast<unsigned char>(c))) c = '-';
  }
  const std::string prefix = ".foxhunt-tmp." + plain.substr(0, 64) + ".";
  const std::string of_dead = prefix + std::to_string(dead) + ".1.0";
  const std::string of_namesake = prefix + std::to_string(getpid()) + ".1.0";  // an earlier process of our id
  const std::string of_living = prefix + std::to_string(getppid()) + ".1.0";
  const std::string of_other_host = ".foxhunt-tmp.elsewhere." + std::to_string(dead) + ".1.0";
  const std::string old_of_other_host = ".foxhunt-tmp.elsewhere." + std::to_string(dead) + ".1.1";
  const Names not_ours{".foxhunt-tmp.x", ".foxhunt-tmp.a.b.c.d", ".other-tmp.h.1.1.1"};
  Names all = not_ours;
  all.insert(all.end(), {of_dead, of_namesake, of_living, of_other_host, old_of_other_host});
  for (const auto& name : all) write_bytes(folder / name, std::string("half"));
  fs::last_write_time(folder / old_of_other_host, fs::file_time_type::clock::now() - std::chrono::hours(2));

  Store(folder.path()).save(1, Sample(1).checkpoint());
  EXPECT_FALSE(fs::exists(folder / of_dead));
  EXPECT_FALSE(fs::exists(folder / of_namesake));
  EXPECT_FALSE(fs::exists(folder / old_of_other_host));
  EXPECT_TRUE(fs::exists(folder / of_living));
  EXPECT_TRUE(fs::exists(folder / of_other_host));
  for (const auto& name : not_ours) EXPECT_TRUE(fs::exists(folder / name)) << name;
}

TEST(Store, UnwritableFolderIsAnErrorThatChangesNothing) {
  const TemporaryFolder folder;
  Store store(folder.path());
  store.save(1, Sample(1).checkpoint());
  const Names before = folder.names();
  fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec | fs::perms::others_read |
                                     fs::perms::others_exec);
  EXPECT_TRUE(in_child_as_user([&] {
    const std::string text = error_of([&] { store.save(2, Sample(2).checkpoint()); });
    return contains(text, "Permission denied") && contains(text, "step-000000002.h5") &&
           contains(text, "choose a folder that can be written");
  }));
  EXPECT_EQ(folder.names(), before);
  EXPECT_EQ(step_in(folder / "latest.h5"), 1);

  write_bytes(fs::path(folder / "file"), std::string("x"));
  EXPECT_TRUE(contains(error_of([&] { Store(folder / "file/sub").save(1, Sample(1).checkpoint()); }),
                       "cannot create the checkpoint folder"));
}

// A file size limit makes write() fail half-way, as a full disk does.
TEST(Store, FullDiskIsAnErrorThatChangesNothing) {
  const TemporaryFolder folder;
  Store store(folder.path());
  store.save(1, Sample(1).checkpoint());
  const Names before = folder.names();

  std::vector<std::uint64_t> noise(100000);
  std::mt19937_64 random(1);
  for (auto& x : noise) x = random();
  Checkpoint large = Sample(2).checkpoint();
  large.tensors = {view("/replay/h", {noise.size()}, std::span<const std::uint64_t>(noise))};

  rlimit old{};
  getrlimit(RLIMIT_FSIZE, &old);
  const rlimit tight{100000, old.rlim_max};
  const auto old_handler = signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &tight);
  std::string text;
  try {
    store.save(2, large);
  } catch (const Error& error) {
    text = error.what();
  }
  setrlimit(RLIMIT_FSIZE, &old);
  signal(SIGXFSZ, old_handler);

  EXPECT_TRUE(contains(text, "cannot write")) << text;
  EXPECT_TRUE(contains(text, "What was there before is unchanged")) << text;
  EXPECT_EQ(folder.names(), before);
  EXPECT_EQ(step_in(folder / "latest.h5"), 1);
  EXPECT_EQ(step_in(store.save(2, large).file), 2);
}

}  // namespace
}  // namespace foxhunt::checkpoints::test
