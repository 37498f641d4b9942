/**
 * The generations of nft that print one table in two ways. `1.0` is 1.0.6; `1.1` is 1.1.7, which sorts concatenations by
 * their first part, names the priorities of nat on every hook of it, and keeps `addr . port`.
 */
export type NftVersion = '1.0' | '1.1'
