/**
 * The generations of nft that list a table differently. `1.0` is 1.0.6. `1.1` is 1.1.7, which sorts concatenations by
 * their first component, names the priorities of nat on all of its hooks, and prints `addr . port`.
 */
export type NftVersion = '1.0' | '1.1'
