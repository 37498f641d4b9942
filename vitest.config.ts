import { defineConfig } from 'vitest/config'
import { LongOnesFirst } from './vitest.sequencer.js'

const almostAll = { lines: 98, branches: 98 }

export default defineConfig({
  test: {
    // A missing golden file is a failure everywhere; `vitest run -u` writes it.
    update: 'none',
    // Those named real- need a kernel or a browser, and have commands of their own.
    projects: ['vitest.{packages,replaced}.config.ts', 'packages/*/vitest.{kernel,browser}.config.ts'],
    // By itself Vitest leaves one core idle, which of two is half the machine.
    maxWorkers: '100%',
    sequence: { sequencer: LongOnesFirst },
    coverage: {
      provider: 'v8',
      include: ['packages/*/src/**/*.ts'],
      // Most of the page needs a browser to run.
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
