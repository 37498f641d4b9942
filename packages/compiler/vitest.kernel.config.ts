import { defineProject } from 'vitest/config'
import { shared } from '../../vitest.shared.js'

/** Tests in private network namespaces, for `pnpm test:kernel` and `pnpm test:machine`. */
export default defineProject({
  ...shared,
  test: {
    ...shared.test,
    name: 'real-kernel',
    include: ['test/kernel/**/*.test.ts'],
    // These tests mostly wait, for the kernel or for an emulator, which uses one core. They run after the rest, because a
    // number of workers requires a separate group.
    maxWorkers: 4,
    sequence: { groupOrder: 1 },
  },
})
