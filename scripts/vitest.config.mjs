import { defineProject } from 'vitest/config'
import { shared } from '../vitest.shared.ts'

export default defineProject({
  test: { ...shared, name: 'scripts', include: ['test/**/*.test.mjs'] },
})
