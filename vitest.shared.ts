/** For a hang alone: no test comes near it on a machine ten times as slow as ours. */
const TEN_MINUTES = 600_000

/** What all projects have in common. */
export const shared = {
  expect: { requireAssertions: true },
  testTimeout: TEN_MINUTES,
  hookTimeout: TEN_MINUTES,
} as const

/** For tests that leave nothing behind in the modules they load: a worker loads these once, not for each file. */
export const sharedModules = { isolate: false } as const
