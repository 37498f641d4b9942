// What the command does beside the library: which families it prints, and what it says of objects.
export { chooseFamilies } from '../../../cli/src/commands/print/choose-families.js'
export { clusterDiagnostics } from '../../../cli/src/cluster/cluster-diagnostics.js'
import type { IpFamily, Service } from '@kube-rules/types'
import { chooseFamilies } from '../../../cli/src/commands/print/choose-families.js'

const CHOICES: Readonly<Record<string, '4' | '6' | 'both'>> = { IPv4: '4', IPv6: '6', both: 'both' }

export function chosenFamilies(family: string, services: readonly Service[]): readonly IpFamily[] {
  return chooseFamilies(CHOICES[family], 'text', services)
}
