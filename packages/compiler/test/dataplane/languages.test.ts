import { describe, expect, it } from 'vitest'
import { languageNames, languageOf, languagesIn } from '../../src/dataplane/language-of.js'
import { liveLanguageOf } from '../../src/dataplane/live-language-of.js'
import { lowered } from '../support/ipvs-states.js'
import { endpoint, servicePort } from '../support/model-builder.js'
import { nftablesOf } from '../support/nftables-states.js'

const ports = [servicePort({ endpoints: [endpoint()], nodePort: 3001 })]
const state = { ...lowered(ports), nftables: nftablesOf(ports).nftables }

it('languages stand in the order in which they are applied: rules refer to sets, and an address is served before it is bound', () => {
  expect(languageNames()).toEqual(['nftables', 'ipset', 'ipvs', 'addresses', 'iptables'])
  expect(languagesIn(state)).toEqual(['nftables', 'ipset', 'ipvs', 'addresses', 'iptables'])
  expect(languagesIn({ family: 'IPv4', iptables: state.iptables, ipvs: undefined })).toEqual(['iptables'])
})

it.each([
  ['nftables', ['restore', 'save']],
  ['ipset', ['restore', 'save']],
  ['ipvs', ['restore', 'save', 'listing']],
  ['addresses', ['restore']],
  ['iptables', ['restore', 'save']],
] as const)('%s is printed as %j', (name, spellings) => {
  expect(languageOf(name).spellings).toEqual(spellings)
})

describe.each(languageNames())('%s', (name) => {
  const language = languageOf(name)
  const live = liveLanguageOf(name)
  const linesOf = (text: string) => text.split('\n').filter((line) => line !== '')
  const texts = (['restore', 'save'] as const)
    .filter((spelling) => language.spellings.includes(spelling))
    .map((spelling) => language.print(state[name], { spelling, backend: 'nft' }))

  it('is first of all printed for its tool', () => {
    expect(language.spellings[0]).toBe('restore')
    for (const text of texts) expect(text.endsWith('\n')).toBe(true)
  })

  it('prints passages that the first language to know them reads', () => {
    for (const text of texts) {
      let inPassage: ((line: string) => boolean) | undefined
      for (const line of linesOf(text)) {
        if (inPassage === undefined) {
          const knowing = languageNames().filter((each) => liveLanguageOf(each).begins(line) !== undefined)
          expect([line, knowing[0]]).toEqual([line, name])
          const end = live.begins(line)
          inPassage = typeof end === 'function' ? end : undefined
        } else if (inPassage(line)) inPassage = undefined
      }
      expect(inPassage).toBeUndefined()
    }
  })

  it('refuses nothing of what is compiled, and its normal form is its own normal form', () => {
    expect(language.check(state[name])).toEqual([])
    const normal = live.canonical(state[name])
    expect(live.canonical(normal)).toEqual(normal)
    expect(language.diff(state[name], state[name]).changes).toEqual([])
  })
})
