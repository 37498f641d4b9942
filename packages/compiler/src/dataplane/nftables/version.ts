/**
 * The generations of nft that list a table differently. `1.0` means nft 1.0.6, and `1.1` means nft 1.1.7. Unlike 1.0.6,
 * nft 1.1.7 sorts concatenations by their first component, prints NAT priorities by name at all NAT hooks, and
 * prints `addr . port` before a map with addresses and ports as data.
 */
export type NftVersion = '1.0' | '1.1'
