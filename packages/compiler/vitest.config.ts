import { configDefaults, defineProject } from 'vitest/config'

export default defineProject({
  ssr: { resolve: { conditions: ['@kube-rules/source', 'module', 'node', 'development|production'] } },
  test: {
    name: 'compiler',
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, 'test/kernel/**'],
    setupFiles: ['test/support/seed.ts'],
  },
})
