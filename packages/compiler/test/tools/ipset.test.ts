import type { IpFamily } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import type { Backend } from '../../src/dataplane/iptables/print-save.js'
import { render } from '../../src/render.js'
import { iptablesTools, requireTools, runInNamespace, withoutComments } from '../support/network-namespace.js'
import { ipvsSamples, jumpText } from '../support/real-inputs.js'

const FAMILIES: readonly IpFamily[] = ['IPv4', 'IPv6']
const BACKENDS: readonly Backend[] = ['nft', 'legacy']
const results = ipvsSamples(16)
const indices = results.map((_, index) => index)

/** A dump of ipset without what the kernel makes up. */
function withoutMadeUp(text: string): string {
  return text.replace(/ bucketsize \d+ initval 0x[0-9a-f]+$/gm, '')
}

/** Restores sets from the input up to a line `# rest`, and leaves what follows to the script `rest`. */
function afterIpset(rest: string): string {
  return `sed -u '/^# rest$/q' > /run/sets; ipset restore -exist < /run/sets; ${rest}`
}

describe.each(FAMILIES)('%s', (family) => {
  it.for(indices)('ipset save is our save text of the generated cluster %i', (index, context) => {
    const result = results[index]
    if (result === undefined) return
    requireTools(context, ['ipset'])
    const input = render(result, { family, part: 'ipset' })
    const { status, stdout, stderr } = runInNamespace('ipset restore -exist; ipset -sorted save', input)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(withoutMadeUp(stdout)).toBe(render(result, { family, part: 'ipset', style: 'save' }))
  })

  describe.each(BACKENDS)('%s', (backend) => {
    it.for(indices)('iptables-save is our save text of the generated cluster %i in mode ipvs', (index, context) => {
      const result = results[index]
      const state = result?.families.find((candidate) => candidate.family === family)?.state.iptables
      if (result === undefined || state === undefined) return
      const tools = iptablesTools(family, backend)
      requireTools(context, ['ipset', tools.restore])
      const rules = jumpText(state) + render(result, { family, part: 'iptables' })
      const input = `${render(result, { family, part: 'ipset' })}# rest\n${rules}`
      const ran = runInNamespace(afterIpset(`${tools.restore} --noflush; ${tools.save}`), input)
      expect({ status: ran.status, stderr: ran.stderr }).toEqual({ status: 0, stderr: '' })
      expect(withoutComments(ran.stdout)).toBe(render(result, { family, part: 'iptables', style: 'save', backend }))
    })
  })
})

it('has generated clusters to look at', () => {
  expect(results.length).toBeGreaterThan(3)
})
