import { defineConfig } from 'vitest/config'

const almostAll = { lines: 98, branches: 98 }

export default defineConfig({
  test: {
    // A missing golden file is a failure everywhere; `vitest run -u` writes it.
    update: 'none',
    projects: ['packages/*/vitest{,.kernel}.config.ts', 'scripts/vitest.config.mjs'],
    coverage: {
      provider: 'v8',
      include: ['packages/*/src/**/*.ts'],
      thresholds: {
        'packages/compiler/src/{reading,configuration,node,endpoints,services}/**': almostAll,
        'packages/compiler/src/plan/**': almostAll,
        'packages/compiler/src/dataplane/**': almostAll,
      },
    },
  },
})
