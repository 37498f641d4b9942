import { describe, expect, it } from 'vitest'
import {
  isSupportedVersion,
  isVersionAtLeast,
  listNewerVersions,
  listProxyModes,
  minorVersionOf,
  newestVersionOf,
  parseVersion,
  previousVersionOf,
  versionsOf,
} from '../../../src/model/configuration/versions.js'

describe('parseVersion', () => {
  it.each([
    ['1.30', '1.30'],
    ['v1.31.2', '1.31'],
    ['1.34.1', '1.34'],
    ['v1.33.5-gke.1080000', '1.33'],
    ['1.32.0+k3s1', '1.32'],
    ['1.20.7', '1.20'],
    ['1.14.0', '1.14'],
    ['1.18', '1.18'],
    ['v1.18.2', '1.18.2'],
    ['1.18.05-gke.1', '1.18.5'],
    ['1.18.6', '1.18'],
    ['1.18.20', '1.18'],
    ['1.17.2', '1.17.2'],
    ['1.17.9', '1.17'],
    ['1.16.0', '1.16.0'],
    ['1.16.15', '1.16'],
  ])('parses %s as %s', (text, version) => {
    expect(parseVersion(text)).toBe(version)
  })

  it('parses every supported version of each mode', () => {
    for (const version of listProxyModes().flatMap(versionsOf)) expect(parseVersion(`v${version}.30`)).toBe(version)
  })

  it.each(['1.3', '1.300', '2.30', '1', '', 'abc', 'v', '1.30.', '1.30 ', ' 1.30', '1.030', '1.30\n'])(
    'rejects %j',
    (text) => {
      expect(parseVersion(text)).toBeUndefined()
    },
  )
})

describe('versionsOf', () => {
  it.each(listProxyModes())('returns the versions of %s mode in ascending order, without gaps', (mode) => {
    const versions = versionsOf(mode)
    for (const [index, version] of versions.entries()) {
      if (index > 0) expect(previousVersionOf(version)).toBe(versions[index - 1])
      expect(listNewerVersions(mode, version)).toEqual(versions.slice(index + 1))
    }
  })

  it('returns the versions of the default mode if the mode is unknown', () => {
    expect(newestVersionOf('kernelspace')).toBe(newestVersionOf('iptables'))
    expect(isSupportedVersion('constructor', newestVersionOf('iptables'))).toBe(true)
  })
})

describe('a version with a patch number', () => {
  it('is supported by the modes that support its minor version', () => {
    expect(isSupportedVersion('ipvs', '1.18.2')).toBe(true)
    expect(isSupportedVersion('nftables', '1.18.2')).toBe(false)
  })

  it('is older than the next minor version, but not older than its own minor version', () => {
    expect(listNewerVersions('userspace', '1.18.2')).toEqual(versionsOf('userspace').slice(5))
    expect(minorVersionOf('1.18.2')).toBe('1.18')
    expect(previousVersionOf('1.18.2')).toBe('1.17')
  })
})

describe('previousVersionOf', () => {
  it('returns the preceding minor version', () => {
    expect(previousVersionOf('1.30')).toBe('1.29')
  })
})

describe('isVersionAtLeast', () => {
  it.each([
    ['1.30', '1.30', true],
    ['1.9', '1.30', false],
    ['1.100', '1.30', true],
    ['1.18.2', '1.18', true],
    ['1.18.2', '1.18.6', false],
    ['1.18.6', '1.18.6', true],
    ['1.18.10', '1.18.6', true],
    ['1.19.0', '1.18.6', true],
    ['1.17.17', '1.18.6', false],
  ])('returns whether %s is at least %s', (version, since, expected) => {
    expect(isVersionAtLeast(version, since)).toBe(expected)
  })

  it('treats a version without a patch number as the newest patch of that version', () => {
    expect(isVersionAtLeast('1.18', '1.18.6')).toBe(true)
  })

  it.each([
    ['1.19', true],
    ['1.18', true],
    ['1.18.6', true],
    ['1.18.5', false],
    ['1.17.9', true],
    ['1.17.8', false],
    ['1.16.13', true],
    ['1.16.0', false],
    ['1.15', false],
  ])('returns whether %s contains a fix that several minor versions got in a patch', (version, expected) => {
    expect(isVersionAtLeast(version, ['1.16.13', '1.17.9', '1.18.6'])).toBe(expected)
  })
})
