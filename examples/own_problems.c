/* Problems of one's own in a shared library, from which `loa train` learns:
 *
 *   cc -shared -fPIC -I include examples/own_problems.c -o own_problems.so
 *   loa train --problems-library own_problems.so --out mine.safetensors
 *
 * The family: springs between n + 1 places with stiffnesses that differ from member to member, and a quartic term.
 */
#include <loa.h>
#include <stdint.h>

/* A number in [0, 1) from the numbers of the member and the spring, the same at each call. */
static double draw(int64_t member, int64_t i) {
  uint64_t h = (uint64_t)member * 0x9e3779b97f4a7c15u + (uint64_t)i * 0xbf58476d1ce4e5b9u + 1u;
  h = (h ^ (h >> 31)) * 0x94d049bb133111ebu;
  h = (h ^ (h >> 29)) * 0xbf58476d1ce4e5b9u;
  return (double)((h ^ (h >> 32)) >> 11) / 9007199254740992.0;
}

static int64_t dimension(int64_t member, void* user) {
  (void)user;
  return 8 + member % 3;
}

static void start(int64_t member, int64_t n, double* x0, void* user) {
  (void)user;
  for (int64_t i = 0; i < n; ++i) x0[i] = 2.0 * draw(member, 1000 + i) - 1.0;
}

static double value_and_gradient(int64_t member, int64_t n, const double* x, double* grad, void* user) {
  (void)user;
  double f = 0.0;
  for (int64_t i = 0; i < n; ++i) grad[i] = 0.0;
  for (int64_t i = 0; i <= n; ++i) {
    const double stiffness = 1.0 + 20.0 * draw(member, i);
    const double length = (i < n ? x[i] : 1.0) - (i > 0 ? x[i - 1] : 0.0);
    const double force = stiffness * (length + length * length * length);
    f += stiffness * (0.5 * length * length + 0.25 * length * length * length * length);
    if (i < n) grad[i] += force;
    if (i > 0) grad[i - 1] -= force;
  }
  return f;
}

/* The name is LOA_PROBLEMS_FUNCTION. */
const loa_problems* loa_own_problems(void);
const loa_problems* loa_own_problems(void) {
  static const loa_problems problems = {sizeof(loa_problems), 0, dimension, start, value_and_gradient, 0};
  return &problems;
}
