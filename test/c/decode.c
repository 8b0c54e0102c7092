/* Decodes a PNG with libpng: decode FILE OUT
 *
 * OUT gets rows of RGBA, 8 bits a sample or, from a PNG of 16 bits, 16 in native order. Prints what the file's header says:
 * {"width", "height", "depth", "colourType"}. Warnings of libpng are errors here. */
#include <png.h>
#include <stdio.h>
#include <stdlib.h>

static void fail(png_structp png, png_const_charp message)
{
	(void)png;
	fprintf(stderr, "decode: %s\n", message);
	exit(1);
}

int main(int argc, char **argv)
{
	if (argc != 3) {
		fprintf(stderr, "usage: decode FILE OUT\n");
		return 2;
	}
	FILE *in = fopen(argv[1], "rb"), *out = fopen(argv[2], "wb");
	if (in == NULL || out == NULL)
		fail(NULL, "cannot open the files");
	png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, fail, fail);
	png_infop info = png_create_info_struct(png);
	png_init_io(png, in);
	png_read_info(png, info);
	png_uint_32 width = png_get_image_width(png, info), height = png_get_image_height(png, info);
	int depth = png_get_bit_depth(png, info);
	printf("{\"width\":%u,\"height\":%u,\"depth\":%d,\"colourType\":%d}\n", (unsigned)width, (unsigned)height, depth,
		png_get_color_type(png, info));

	png_set_expand(png);
	png_set_gray_to_rgb(png);
	png_set_add_alpha(png, 0xffff, PNG_FILLER_AFTER);
	const int one = 1;
	if (depth == 16 && *(const char *)&one == 1)
		png_set_swap(png);
	png_set_interlace_handling(png);
	png_read_update_info(png, info);

	size_t stride = png_get_rowbytes(png, info);
	png_bytep pixels = malloc(stride * height);
	png_bytepp rows = malloc(sizeof *rows * height);
	if (pixels == NULL || rows == NULL)
		fail(NULL, "out of memory");
	for (png_uint_32 y = 0; y < height; y++)
		rows[y] = pixels + y * stride;
	png_read_image(png, rows);
	png_read_end(png, NULL);
	if (fwrite(pixels, stride, height, out) != height || fclose(out) != 0)
		fail(NULL, "cannot write");
	fclose(in);
	png_destroy_read_struct(&png, &info, NULL);
	free(rows);
	free(pixels);
	return 0;
}
