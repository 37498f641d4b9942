import { defineConfig } from 'vitest/config'
import { LongOnesFirst } from './vitest.sequencer.js'

/** `.ci/run` counts the results in this file, and has the coverage checked in the same run. */
const results = process.env.KUBE_RULES_TEST_RESULTS

const almostAll = { lines: 98, branches: 98 }

export default defineConfig({
  test: {
    // A missing golden file is a failure everywhere; `vitest run -u` writes it.
    update: 'none',
    // Projects with the prefix real- need a kernel or a browser, and have their own commands.
    projects: ['vitest.{packages,replaced}.config.ts', 'packages/*/vitest.{kernel,browser}.config.ts'],
    // By default Vitest leaves one core idle, which is half of a two-core machine.
    maxWorkers: '100%',
    ...(results !== undefined && { reporters: ['default', ['json', { outputFile: results }]] }),
    sequence: { sequencer: LongOnesFirst },
    coverage: {
      enabled: results !== undefined,
      provider: 'v8',
      include: ['packages/*/src/**/*.ts'],
      // Most of the page only runs in a browser.
      exclude: ['packages/playground/**'],
      thresholds: {
        'packages/compiler/src/model/**': almostAll,
        'packages/compiler/src/plan/**': almostAll,
        'packages/{compiler,analyzer}/src/dataplane/**': almostAll,
        'packages/analyzer/src/compare/**': almostAll,
      },
    },
  },
})
