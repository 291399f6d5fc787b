#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "support.hpp"

namespace foxhunt::test {
namespace {

using Clock = std::chrono::steady_clock;

/// Whether `condition` became true in half a minute.
template <class Condition>
bool soon(Condition condition) {
  for (const auto end = Clock::now() + std::chrono::seconds(30); Clock::now() < end;) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return condition();
}

size_t lines_of(const std::string& text) { return static_cast<size_t>(std::count(text.begin(), text.end(), '\n')); }

TEST(CliWatch, OnceShowsAnEndedRun) {
  const Scratch s;
  ASSERT_EQ(foxhunt(tiny_run("run"), s.folder()).code, 0);
  const Outcome o = foxhunt({"watch", "run", "--once"}, s.folder());
  EXPECT_EQ(o.code, 0) << shown(o);
  for (const char* part : {"run  passed  step 2/2", "all gates passed.", "q_pi_agree_ema", "pnl_cum_usd", "gates", "ok      nan_abort", "waits   q_pi_agree"})
    EXPECT_TRUE(contains(o.out, part));
  EXPECT_EQ(o.out.find('\x1b'), std::string::npos) << "no escape sequences in a file";
  EXPECT_EQ(o.err, "");
  const Outcome some = foxhunt({"watch", "run/diag.jsonl", "--once", "--metrics", "action_hist.0,l_v"}, s.folder());
  EXPECT_TRUE(contains(some.out, "action_hist.0"));
  EXPECT_EQ(some.out.find("entropy"), std::string::npos);
}

TEST(CliWatch, ARunThatHasEndedEndsTheWatch) {
  const Scratch s;
  ASSERT_EQ(foxhunt(tiny_run("run"), s.folder()).code, 0);
  const Outcome o = foxhunt({"watch", "run"}, s.folder());
  EXPECT_EQ(o.code, 0) << shown(o);
  EXPECT_EQ(lines_of(o.out), 1u) << o.out;
  EXPECT_TRUE(contains(o.out, "all gates passed."));
}

TEST(CliWatch, PlainLinesFollowARunningRunToItsEnd) {
  const Scratch s;
  Child train(tiny_run("run", {"--trainer.iterations", "400"}), s.folder());
  ASSERT_TRUE(soon([&] { return fs::exists(s / "run/diag.jsonl"); }));
  const Outcome o = foxhunt({"watch", "run", "--every", "0.05"}, s.folder());
  EXPECT_EQ(train.wait().code, 0);
  EXPECT_EQ(o.code, 0) << shown(o);
  EXPECT_TRUE(contains(o.out, "running  step "));
  EXPECT_TRUE(contains(o.out, "step 400/400"));
  EXPECT_TRUE(contains(o.out, "all gates passed."));
}

TEST(CliWatch, CrashedRunsAreWatchedUntilCtrlC) {
  const Scratch s;
  ASSERT_EQ(foxhunt(tiny_run("run"), s.folder()).code, 0);
  fs::remove(s / "run/verdict.json");
  write(s / "run/diag.jsonl", slurp(s / "run/diag.jsonl") + "{\"step\":3,\"l_q\":0.");
  Child watch({"watch", "run", "--every", "0.05"}, s.folder());
  EXPECT_TRUE(soon([&] {
    for (const auto& entry : fs::directory_iterator(s.folder()))
      if (entry.path().filename().string().starts_with("stdout-") && contains(slurp(entry.path()), "step 2/2")) return true;
    return false;
  }));
  EXPECT_TRUE(watch.running());
  watch.signal(SIGINT);
  const Outcome o = watch.wait();
  EXPECT_EQ(o.code, 0) << shown(o);
  EXPECT_TRUE(contains(o.out, "step 2/2"));
}

TEST(CliWatch, FoldersOfReplicasAndOfRunsAreTables) {
  const Scratch s;
  ASSERT_EQ(foxhunt(tiny_run("all", {"--trainer.replicas", "2"}), s.folder()).code, 0);
  for (const Arguments& given : {Arguments{"watch", "all", "--once"}, {"watch", "all/seed-1", "all/seed-2", "--once"}}) {
    const Outcome o = foxhunt(given, s.folder());
    EXPECT_EQ(o.code, 0) << shown(o);
    EXPECT_EQ(lines_of(o.out), 3u) << o.out;
    for (const char* part : {"seed-1", "seed-2", "passed", "pnl_cum_usd"}) EXPECT_TRUE(contains(o.out, part));
  }
}

TEST(CliWatch, WhatIsNotThereIsRefused) {
  const Scratch s;
  EXPECT_TRUE(refused(foxhunt({"watch", "nowhere", "--once"}, s.folder()), "nowhere"));
  EXPECT_TRUE(refused(foxhunt({"watch"}, s.folder()), "watch"));
  ASSERT_EQ(foxhunt(tiny_run("run"), s.folder()).code, 0);
  EXPECT_TRUE(refused(foxhunt({"watch", "run", "--once", "--metrics", "entropi"}, s.folder()), "did you mean 'entropy'"));
  EXPECT_TRUE(refused(foxhunt({"watch", "run", "--every", "0"}, s.folder()), "--every"));
  fs::create_directory(s / "empty");
  const Outcome empty = foxhunt({"watch", "empty", "--once"}, s.folder());
  EXPECT_EQ(empty.code, 0) << shown(empty);
  EXPECT_TRUE(contains(empty.out, "no iteration yet"));
}

TEST(CliWatch, OnATerminalItRedrawsInPlaceAndLeavesTheLastFrame) {
  const Scratch s;
  ASSERT_EQ(foxhunt(tiny_run("run"), s.folder()).code, 0);
  fs::remove(s / "run/verdict.json");
  struct winsize size {10, 50, 0, 0};
  int terminal = -1;
  const pid_t pid = forkpty(&terminal, nullptr, nullptr, &size);
  ASSERT_GE(pid, 0);
  if (pid == 0) {
    if (chdir(s.folder().c_str()) != 0) _exit(126);
    setenv("TERM", "xterm", 1);
    execl(FOXHUNT_PROGRAM, FOXHUNT_PROGRAM, "watch", "run", "--every", "0.05", static_cast<char*>(nullptr));
    _exit(127);
  }
  fcntl(terminal, F_SETFL, O_NONBLOCK);
  std::string seen;
  const auto read_more = [&] {
    char bytes[4096];
    for (ssize_t n; (n = read(terminal, bytes, sizeof bytes)) > 0;) seen.append(bytes, static_cast<size_t>(n));
  };
  const auto frames = [&] {
    read_more();
    size_t count = 0;
    for (size_t at = 0; (at = seen.find("\x1b[H", at)) != std::string::npos; ++at) ++count;
    return count;
  };
  EXPECT_TRUE(soon([&] { return frames() >= 3; }));
  ASSERT_EQ(::write(terminal, "\x03", 1), 1);  // Ctrl-C, as typed
  int status = -1;
  EXPECT_TRUE(soon([&] {
    read_more();
    return waitpid(pid, &status, WNOHANG) == pid;
  }));
  read_more();
  close(terminal);
  ASSERT_TRUE(WIFEXITED(status)) << status;
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_TRUE(seen.starts_with("\x1b[?1049h"));
  const size_t left = seen.find("\x1b[?25h\x1b[?1049l");
  ASSERT_NE(left, std::string::npos) << "the terminal is given back";
  EXPECT_TRUE(contains(seen.substr(left), "q_pi_agree_ema")) << "what was seen last stays";
  // A frame: at most 10 lines of at most 49 characters.
  const size_t first = seen.find("\x1b[H"), second = seen.find("\x1b[H", first + 1);
  const std::string frame = seen.substr(first, second - first);
  EXPECT_LE(lines_of(frame), 9u);
}

}  // namespace
}  // namespace foxhunt::test
