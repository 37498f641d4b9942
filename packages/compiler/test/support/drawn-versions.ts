import { isVersionAtLeast, versionsOf } from '../../src/model/configuration/versions.js'

/** Returns the versions of a mode from which property tests draw, oldest first. */
export function drawnVersions(mode: string): readonly string[] {
  const oldest = mode === 'nftables' ? '1.29' : '1.14'
  return versionsOf(mode).filter((version) => isVersionAtLeast(version, oldest))
}
