import { defineProject } from 'vitest/config'
import { ownModules, shared } from './vitest.shared.js'

/** What replaces modules, or puts modes and languages of its own into the tables: each file with modules of its own. */
export default defineProject({ ...shared, test: { ...shared.test, name: 'replaced', include: [...ownModules] } })
