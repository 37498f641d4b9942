import fc from 'fast-check'
import { it, expect } from 'vitest'
import { cases } from './support/clusters.js'
import { compileCase, renderings } from './support/renderings.js'
import { foreignLines } from './support/line-grammar.js'
it('x', () => {
  const all = new Set<string>()
  for (const given of fc.sample(cases, { numRuns: 400, seed: 3 })) {
    const result = compileCase(given)
    for (const [name, text] of renderings(result)) {
      if (name.includes('listing')) continue
      for (const line of foreignLines(text, given.options.mode as 'iptables', name.includes('save') ? 'save' : 'restore')) all.add(given.options.mode + name + ': ' + line)
    }
  }
  console.log([...all].slice(0, 30).join('\n'))
  expect(all.size).toBe(0)
})
