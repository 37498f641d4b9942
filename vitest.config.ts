import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    // A missing golden file is a failure everywhere; `vitest run -u` writes it.
    update: 'none',
    projects: ['packages/*/vitest.config.ts'],
    coverage: { provider: 'v8', include: ['packages/*/src/**'] },
  },
})
