"""Steps of control_trace beside Gymnasium's own: gymnasium_test.py PATH_OF_CONTROL_TRACE. Exit code 77: no Gymnasium."""
import subprocess
import sys

try:
    import gymnasium
    import numpy as np
except ImportError as e:
    print(f"skipped: {e}")
    sys.exit(77)


def compare(task, name, tolerance):
    env = gymnasium.make(name)
    assert env.spec.max_episode_steps == 500, env.spec
    inner = env.unwrapped
    trace = subprocess.run([sys.argv[1], task, "4000"], check=True, capture_output=True, text=True).stdout
    steps, ends, worst, worst_x, length = 0, 0, 0.0, 0.0, 0
    for line in trace.splitlines():
        numbers = [float(word) for word in line.split()]
        action, before, after, x = int(numbers[0]), numbers[1:5], numbers[5:9], numbers[9:-2]
        reward, done = numbers[-2], int(numbers[-1])
        env.reset()
        inner.state = np.array(before, dtype=np.float64)
        seen, expected_reward, terminated, _, _ = env.step(action)
        length += 1
        assert reward == expected_reward, (line, expected_reward)
        # A state on the very limit may fall to either side in single precision.
        assert (done == 1) == terminated, (line, inner.state)
        assert done != 2 or length == 500, (line, length)
        worst = max(worst, float(np.max(np.abs(np.asarray(inner.state) - after) / (1 + np.abs(after)))))
        worst_x = max(worst_x, float(np.max(np.abs(seen - x) / (1 + np.abs(x)))))
        steps, ends, length = steps + 1, ends + (done == 1), 0 if done else length
    print(f"{name}: {steps} steps, {ends} episodes ended by the task, largest difference {worst:.2g} in states, "
          f"{worst_x:.2g} in observations")
    assert ends >= 10 and worst < tolerance and worst_x < tolerance


compare("cartpole", "CartPole-v1", 1e-6)
compare("acrobot", "Acrobot-v1", 1e-5)
