import { defineProject } from 'vitest/config'
import { ownModules, shared } from './vitest.shared.js'

/** Tests that replace modules, or add modes and subsystems to the tables: each file has isolated modules. */
export default defineProject({ ...shared, test: { ...shared.test, name: 'replaced', include: [...ownModules] } })
