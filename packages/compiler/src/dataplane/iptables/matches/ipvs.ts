import type { IpFamily } from '@kube-rules/types'
import { protocolNumber } from '../../netfilter/protocols.js'
import { ternaryOf } from '../../netfilter/ternary.js'
import type { IpvsMatch } from '../ast.js'
import { readAddress } from '../network.js'
import { plainWord } from '../quote.js'
import { skipWord, takeNumber, takeWord, type WordCursor } from '../words.js'
import type { MatchLanguage } from './language.js'

/** `-m ipvs --vaddr ADDRESS --vproto PROTOCOL --vport PORT`, with all three options. */
export const ipvs: MatchLanguage<IpvsMatch> = {
  begins: ['-m ipvs'],
  valueOptions: ['--vaddr', '--vproto', '--vport'],
  print: ({ address, protocol, port }, style) => {
    const vaddr = `--vaddr ${plainWord(address)}`
    const vproto = `--vproto ${plainWord(protocol)}`
    return `-m ipvs ${style === 'restore' ? `${vaddr} ${vproto}` : `${vproto} ${vaddr}`} --vport ${port}`
  },
  list: ({ address, protocol, port }) => `vproto ${plainWord(protocol)} vaddr ${plainWord(address)} vport ${port}`,
  parse: (words, _negated, family) => {
    const options: Options = {}
    while (readOption(words, options, family));
    const { address, protocol, port } = options
    if (address === undefined || protocol === undefined || port === undefined) return undefined
    return { kind: 'ipvs', address, protocol, port }
  },
  canonical: (match) => {
    const protocol = String(protocolNumber(match.protocol) ?? match.protocol)
    return protocol === match.protocol ? match : { ...match, protocol }
  },
  ignoresDestination: true,
  evaluate: ({ address, protocol, port }, { packet: { virtualServer } }) =>
    ternaryOf(
      virtualServer?.address === address &&
        virtualServer.port === port &&
        protocolNumber(virtualServer.protocol) === protocolNumber(protocol),
    ),
}

interface Options {
  address?: string | undefined
  protocol?: string | undefined
  port?: number | undefined
}

function readOption(words: WordCursor, options: Options, family: IpFamily): boolean {
  if (skipWord(words, '--vaddr')) options.address = readAddress(takeWord(words) ?? '', family)
  else if (skipWord(words, '--vproto')) options.protocol = takeWord(words)?.toLowerCase()
  else if (skipWord(words, '--vport')) options.port = takeNumber(words, 65535)
  else return false
  return true
}
