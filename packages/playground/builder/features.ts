import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'
import { descriptionsOf } from '../../../scripts/history/feature-descriptions.mjs'

const FEATURES = fileURLToPath(new URL('../../compiler/src/model/configuration/features.ts', import.meta.url))

/** Provides the module `virtual:features`: the description of each feature, as in the history of the rules. */
export function features(): Plugin {
  return {
    name: 'features',
    resolveId: (id) => (id === 'virtual:features' ? '\0features' : undefined),
    load: (id) => {
      if (id !== '\0features') return undefined
      const descriptions = Object.fromEntries(descriptionsOf(readFileSync(FEATURES, 'utf8')))
      return `export const FEATURE_DESCRIPTIONS = ${JSON.stringify(descriptions)}`
    },
  }
}
