import { configDefaults, defineProject } from 'vitest/config'
import { ownModules, shared } from './vitest.shared.js'

/** Tests with the recorded cases of the real kube-proxy run if this variable names their folder. */
const cases = process.env.KUBE_RULES_CONFORMANCE
const NEEDS_CASES = 'packages/analyzer/test/verify/conformance-mutations.test.ts'

/** Tests without side effects in their modules: a worker loads modules once, not for each file. */
export default defineProject({
  ...shared,
  test: {
    ...shared.test,
    name: 'packages',
    isolate: false,
    include: ['packages/*/test/**/*.test.ts', 'scripts/test/**/*.test.mjs'],
    exclude: [
      ...[...configDefaults.exclude, ...ownModules, '**/test/kernel/**', '**/*.browser.test.ts'],
      ...(cases === undefined ? [NEEDS_CASES] : []),
    ],
  },
})
