/** Compiles only where the two types are the same one. */
export type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
export declare function same<A, B>(proof: Same<A, B>): void;
