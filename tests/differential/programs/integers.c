#include <limits.h>
#include <stdio.h>
enum color { RED, GREEN = 7, BLUE };
static unsigned char wrap8(int x) { return x; }
static signed char sign8(int x) { return x; }
static long long wide(unsigned x) { return x; }
int main(void) {
    unsigned u = 1; int i = -1; short s = -32768; char c = 200; unsigned char uc = 200; long l = 1L << 40;
    printf("%d %d %d %d\n", u > i, u + i == 0, (unsigned short)s > 5, s > 5u);
    printf("%d %d %d %d\n", c, uc, wrap8(300), sign8(200));
    printf("%lld %lld %d\n", wide(-1), (long long)i, (int)l);
    printf("%d %d %d %d\n", -7 / 2, -7 % 2, 7 / -2, 7 % -2);
    printf("%d %u %d\n", -8 >> 1, (unsigned)-8 >> 28, 1 << 30);
    printf("%d %d %d\n", uc << 4, (unsigned char)(uc << 4), (char)(uc + uc));
    uc += 100; c -= 300; s *= 2; u <<= 31; u >>= 30; i ^= 5; i |= 8; i &= ~1; l -= 1; l /= 3; l %= 1000;
    printf("%d %d %d %u %d %ld\n", uc, c, s, u, i, l);
    uc = 255; uc++; c = 127; c++; printf("%d %d\n", uc--, c); printf("%d\n", uc);
    printf("%d %d %d %d\n", RED, GREEN, BLUE, (int)sizeof(enum color));
    printf("%d %d\n", 'a' + 1, sizeof('a') == sizeof(int));
    printf("%d %d %d\n", INT_MAX, INT_MIN, UINT_MAX == -1u);
    printf("%u %x %o %ld %lu %lx %hd\n", -1, -1, -1, -1L, -1L, -1L, s);
    printf("%5d|%-5d|%05d|%+d|%x|%X|%#x|%c|%%|%s\n", 42, 42, 42, 42, 255, 255, 255, 'x', "text");
    printf("%d %d %d\n", 1 ? -1 : 1u, (1 ? -1 : 1u) > 0, sizeof(1 ? (char)1 : (short)1) == sizeof(int));
    printf("%d %d %d\n", !5, !!5, ~5);
    _Bool b = 256; b += 1; printf("%d %d\n", b, (_Bool)0.5);
    printf("%llu %lld\n", 18446744073709551615ull, (long long)18446744073709551615ull);
    printf("%d %d\n", (int)3.99, (int)-3.99);
    printf("%.2f %.1f %d\n", 1.0 / 3, 1.5f * 2, 7 / 2 * 2.0 == 6.0);
    return 300;
}
